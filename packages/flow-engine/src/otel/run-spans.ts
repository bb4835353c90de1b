import {
  context,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Link,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api'
import { setLru } from '@x/wire'
import type { RunHooks, RunInfo } from '../graph/context/run-hooks.ts'
import { contentAttribute, type ContentMode } from './content-attributes.ts'
import { endSpan } from './end-span.ts'
import { openSpan, runAttributes, vertexKey, type OpenSpans } from './open-spans.ts'
import { readCarrier } from './trace-carrier.ts'

/** Maximum number of suspended jobs whose last span is remembered in this process. */
const MAX_RESTING = 1000

type Hooks = Required<Pick<RunHooks, 'onRunStart' | 'onRunEnd' | 'onVertexStart' | 'onVertexEnd'>>

/** Creates spans for runs and for the attempts at building their vertices. */
export function runSpans(tracer: Tracer, open: OpenSpans, content: ContentMode): Hooks {
  const resting = new Map<string, SpanContext>()
  return {
    onRunStart(run) {
      const parent = parentOf(run, open)
      const links = linksOf(run, resting)
      const attributes = {
        ...runAttributes(run),
        'gen_ai.operation.name': 'invoke_workflow',
        ...(run.flowName !== undefined && { 'gen_ai.workflow.name': run.flowName }),
        ...(run.userId !== undefined && { 'user.id': run.userId }),
      }
      const span = tracer.startSpan('invoke_workflow', { attributes, links }, parent)
      const opened = openSpan(span, parent)
      open.runs.set(run.runId, opened)
      open.of.set(run, opened)
    },
    onRunEnd(run, { status, error }) {
      const opened = open.of.get(run)
      if (opened === undefined) return
      if (open.runs.get(run.runId) === opened) open.runs.delete(run.runId)
      if (run.jobId !== undefined && (status === 'suspended' || status === 'released'))
        setLru(resting, run.jobId, opened.span.spanContext(), MAX_RESTING)
      opened.span.setAttribute('flow.run.status', status)
      endSpan(opened.span, error)
    },
    onVertexStart(vertex) {
      const parent = open.runs.get(vertex.runId)?.within ?? context.active()
      const { vertexId, type, displayName, build, attempt, pass } = vertex
      const attributes = {
        ...runAttributes(vertex),
        'flow.vertex.id': vertexId,
        'flow.vertex.type': type,
        'flow.vertex.name': displayName,
        'flow.vertex.build': build,
        'flow.vertex.attempt': attempt,
        ...(pass !== undefined && { 'flow.vertex.pass': pass }),
      }
      const span = tracer.startSpan(`vertex ${type}`, { attributes }, parent)
      const opened = openSpan(span, parent)
      open.vertices.set(vertexKey(vertex), opened)
      open.of.set(vertex, opened)
      return (work) => context.with(opened.within, work)
    },
    onVertexEnd(vertex, { status, error, usedFrozenResult, content: reported }) {
      const opened = open.of.get(vertex)
      if (opened === undefined) return
      const key = vertexKey(vertex)
      if (open.vertices.get(key) === opened) open.vertices.delete(key)
      opened.span.setAttributes({
        'flow.vertex.status': status,
        'flow.vertex.frozen': usedFrozenResult,
        ...contentAttribute('flow.vertex.input', reported?.input, content),
        ...contentAttribute('flow.vertex.output', reported?.output, content),
      })
      endSpan(opened.span, error)
    },
  }
}

/**
 * The parent context of a run. A worker may run a job while another request is active, so only the job's
 * carrier counts. A continued job is linked instead of nested.
 */
function parentOf(run: RunInfo, open: OpenSpans): Context {
  if (run.parentRunId !== undefined) return parentOfChild(run, open)
  const carried = readCarrier(run.carrier)
  const from = carried === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, carried)
  if (run.jobId !== undefined) return run.continued === true ? ROOT_CONTEXT : from
  const active = context.active()
  return trace.getSpan(active) === undefined ? from : active
}

/** The parent of a child run is the vertex that started it. */
function parentOfChild({ parentRunId = '' }: RunInfo, { runs }: OpenSpans): Context {
  const active = context.active()
  return trace.getSpan(active) === undefined ? (runs.get(parentRunId)?.within ?? active) : active
}

/** Links of a continued job: to the span that started it, and to its last span if this process created it. */
function linksOf(
  { jobId, continued, parentRunId, carrier }: RunInfo,
  resting: Map<string, SpanContext>,
): Link[] {
  if (jobId === undefined || continued !== true || parentRunId !== undefined) return []
  const last = resting.get(jobId)
  resting.delete(jobId)
  return [readCarrier(carrier), last].flatMap((of) => (of === undefined ? [] : { context: of }))
}
