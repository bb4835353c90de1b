import { componentTools } from '../components/component-tools.ts'
import { fieldValues } from '../components/field-values.ts'
import { toOutputValue } from '../components/output-values.ts'
import type { FileReference } from '../components/services.ts'
import { FlowError, limitExceeded, OutputMethodError } from '../errors.ts'
import type { RunContext } from './run-context.ts'
import { finishStream } from './stream-message.ts'
import { changeMessage, isMessage } from './values/message.ts'
import { valueBytes } from './value-size.ts'
import { VertexContext, type BuildFacts } from './vertex-context.ts'
import { TOOL_OUTPUT } from './vertex-plan.ts'

export type OutputValues = Record<string, unknown>

export interface BuildRequest extends BuildFacts {
  /** Values by field as FE-20 to FE-23 leave them. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The outputs to compute, in order. */
  readonly outputs: readonly string[]
}

export interface VertexBuild {
  /** No prototype. */
  readonly outputs: OutputValues
  readonly ctx: VertexContext
  /** Texts and bytes in the outputs. */
  readonly bytes: number
}

/** Builds one vertex: converts its inputs, prepares it, computes its outputs in order (FE-25). */
export async function buildVertex(run: RunContext, request: BuildRequest): Promise<VertexBuild> {
  const ctx = new VertexContext(run, request)
  const outputs = Object.create(null) as OutputValues
  const { component } = request.vertex
  if (request.outputs.includes(TOOL_OUTPUT)) {
    ctx.enter(TOOL_OUTPUT)
    outputs[TOOL_OUTPUT] = await toolsOf(run, request)
  }
  const plain = request.outputs.filter((name) => name !== TOOL_OUTPUT)
  if (plain.length === 0 && request.outputs.length > 0) return { outputs, ctx, bytes: 0 }
  const converted = fieldValues(component, request.raw, { file: (path) => fileOf(path, run) })
  const inputs = converted instanceof Promise ? await converted : converted
  ctx.enter(plain[0] ?? '')
  if (component.prepare !== undefined) await component.prepare(inputs, ctx)
  let bytes = 0
  for (const name of plain) {
    const definition = component.outputs[name]
    if (definition === undefined) continue
    if (!run.open()) throw ctx.signal.reason
    ctx.enter(name)
    let value: unknown
    try {
      value = definition.run(inputs, ctx)
      if (value instanceof Promise) value = await value
    } catch (error) {
      if (error instanceof OutputMethodError) error.method = definition.method ?? name
      throw error
    }
    const declared = toOutputValue(definition.outputKind, value)
    const whole = isStreaming(declared) ? await finishStream(declared, ctx, run) : declared
    outputs[name] = ofFlow(whole, run.flowId)
    bytes += checkedBytes(outputs[name], name, run)
  }
  ctx.flush()
  return { outputs, ctx, bytes }
}

/** A message that belongs to no flow yet belongs to the one that made it (results.md 3). */
function ofFlow(value: unknown, flowId: string): unknown {
  return isMessage(value) && value.flowId === null ? changeMessage(value, { flowId }) : value
}

function isStreaming(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'object'
  )
}

/** FE-64. */
function checkedBytes(value: unknown, name: string, { limits }: RunContext): number {
  const bytes = valueBytes(value, limits.valueBytes)
  if (bytes > limits.valueBytes) {
    throw limitExceeded('valueBytes', `output ${name} is larger than ${limits.valueBytes} bytes`)
  }
  return bytes
}

/** FE-43: each call builds the component anew with the arguments on top of the node's own values. */
async function toolsOf(run: RunContext, request: BuildRequest): Promise<unknown> {
  const { vertex, raw } = request
  return componentTools(vertex.component, {
    vertexId: vertex.id,
    values: raw,
    metadata: raw.tools_metadata,
    async open(args, callSignal) {
      const outer = request.signal ?? run.signal
      const signal = callSignal === undefined ? outer : AbortSignal.any([outer, callSignal])
      const state = new Map<string, unknown>()
      const ctx = new VertexContext(run, { ...request, signal, asTool: true, state: () => state })
      const values = { ...raw, ...args }
      const inputs = await fieldValues(vertex.component, values, {
        file: (path) => fileOf(path, run),
      })
      return { inputs, ctx }
    },
  })
}

function fileOf(path: string, { services, userId, flowId }: RunContext): FileReference {
  const scope = userId === undefined ? { flowId } : { userId, flowId }
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    async read() {
      const bytes = await services.files?.read(path, scope)
      if (bytes === undefined || bytes === null) {
        throw new FlowError('not_found', `File ${path} not found`)
      }
      return bytes
    },
  }
}
