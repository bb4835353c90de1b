import { context, SpanKind, trace, type Attributes, type Tracer } from '@opentelemetry/api'
import type { CallInfo, RunHooks } from '../graph/context/run-hooks.ts'
import { callContent, type ContentMode } from './content-attributes.ts'
import { endSpan } from './end-span.ts'
import { contextWithin, runAttributes, vertexKey, type OpenSpans } from './open-spans.ts'
import { providerName } from './provider-name.ts'

/** Creates spans for the calls made by components. */
export function callSpans(
  tracer: Tracer,
  open: OpenSpans,
  content: ContentMode,
): Required<Pick<RunHooks, 'onCallStart' | 'onCallEnd'>> {
  return {
    onCallStart(call) {
      const parent = contextWithin(open.vertices.get(vertexKey(call)))
      const { name, kind = SpanKind.CLIENT, attributes } = describe(call)
      const all = { ...runAttributes(call), 'flow.vertex.id': call.vertexId, ...attributes }
      const span = tracer.startSpan(name, { kind, attributes: all }, parent)
      open.of.set(call, { span, within: parent })
      return (work) => context.with(trace.setSpan(parent, span), work)
    },
    onCallEnd(call, { error, usage, content: reported }) {
      const opened = open.of.get(call)
      if (opened === undefined) return
      const { span } = opened
      if (usage !== undefined)
        span.setAttributes({
          'gen_ai.usage.input_tokens': usage.inputTokens,
          'gen_ai.usage.output_tokens': usage.outputTokens,
        })
      if (reported !== undefined) span.setAttributes(callContent(call.kind, reported, content))
      endSpan(span, error)
    },
  }
}

interface Described {
  readonly name: string
  /** Default `CLIENT`. */
  readonly kind?: SpanKind
  readonly attributes: Attributes
}

function describe(call: CallInfo): Described {
  switch (call.kind) {
    case 'model':
      return ofModel('chat', call)
    case 'embedding':
      return ofModel('embeddings', call)
    case 'tool':
      return {
        name: `execute_tool ${call.name}`,
        kind: SpanKind.INTERNAL,
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': call.name },
      }
    case 'mcp':
      return {
        name: `tools/call ${call.name}`,
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': call.name,
        },
      }
    case 'request':
      return ofRequest(call)
  }
}

/** `gen_ai.system` is the name of `gen_ai.provider.name` before version 1.37. */
function ofModel(operation: 'chat' | 'embeddings', { provider, model }: CallInfo): Described {
  const of = provider === undefined ? undefined : providerName(provider)
  return {
    name: model === undefined || model === '' ? operation : `${operation} ${model}`,
    attributes: {
      'gen_ai.operation.name': operation,
      ...(of !== undefined && { 'gen_ai.provider.name': of, 'gen_ai.system': of }),
      ...(model !== undefined && { 'gen_ai.request.model': model }),
    },
  }
}

/** A request is named after its method and host. */
function ofRequest({ name }: CallInfo): Described {
  const [method = '', host = ''] = name.split(' ')
  const [, address = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return {
    name: method,
    attributes: {
      'http.request.method': method,
      ...(address !== '' && { 'server.address': address }),
      ...(port !== undefined && { 'server.port': Number(port) }),
    },
  }
}
