import { BareObject } from '@x/wire'
import { componentTools } from '../../components/tools/component-tools.ts'
import { fieldValues, type FieldValueOptions } from '../../components/values/field-values.ts'
import { toOutputValue } from '../../components/values/output-values.ts'
import type { InputSource } from '../../components/define/context.ts'
import type { FileReference } from '../../components/define/services.ts'
import { FlowError, limitExceeded, OutputMethodError, type SuspendedError } from '../../errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { VertexInfo } from '../context/run-hooks.ts'
import { finishStream } from './stream-message.ts'
import { changeMessage, isMessage } from '../values/message.ts'
import { valueBytesSoon } from '../values/value-size.ts'
import { deepFieldError, mayBeOverflow } from './deep-field-error.ts'
import type { BuildMetadata, VertexMetadata } from './build-metadata.ts'
import { VertexContext } from './vertex-context.ts'
import { TOOL_OUTPUT } from '../plan/vertex-plan.ts'
import type { OutputValues } from '../schedule/scope.ts'

/** One build of one vertex: its inputs and its result. */
export abstract class VertexBuild<V extends VertexMetadata = VertexMetadata>
  implements BuildMetadata, FieldValueOptions
{
  readonly run: RunContext
  readonly vertex: V
  readonly build: number
  /** Values by field, complete. */
  raw: Readonly<Record<string, unknown>> = NO_VALUES
  /** The same values, converted for the component. */
  inputs: Record<string, unknown> = NO_VALUES
  /** Names of the outputs to compute, in order. */
  names: readonly string[]
  /** Computed values. */
  readonly outputs: OutputValues = new BareObject()
  /** Size of strings and binary data in the outputs. */
  bytes = 0
  partial: string | undefined = undefined
  /** Set if there are hooks. */
  info: VertexInfo | undefined = undefined
  readonly ctx: VertexContext

  constructor(run: RunContext, { vertex, build, names }: BuildPlace<V>) {
    this.run = run
    this.vertex = vertex
    this.build = build
    this.names = names
    this.ctx = new VertexContext(run, this)
  }

  abstract readonly signal: AbortSignal | undefined
  abstract readonly over: boolean
  abstract rest(reason: SuspendedError): Promise<void>
  abstract state(): Map<string, unknown>
  abstract sources(field: string): readonly InputSource[]
  abstract inputType(field: string): string | undefined
  abstract handleTypes(field: string): readonly string[]
  abstract readonly variables: Readonly<Record<string, string>> | undefined
  abstract expectPasses(items: number): number

  get asTool(): boolean {
    return false
  }

  file(path: string): FileReference {
    return fileOf(path, this.run)
  }
}

interface BuildPlace<V> {
  readonly vertex: V
  readonly build: number
  readonly names: readonly string[]
}

export const NO_VALUES: Record<string, unknown> = {}

/**
 * Builds a vertex: converts its inputs, prepares it, computes its outputs in order. Returns a promise
 * only if a component, stream or conversion does.
 */
export function buildVertex<B extends VertexBuild>(build: B): B | Promise<B> {
  return build.names.includes(TOOL_OUTPUT) ? buildWithTools(build) : convertInputs(build)
}

async function buildWithTools<B extends VertexBuild>(build: B): Promise<B> {
  build.ctx.enter(TOOL_OUTPUT)
  build.outputs[TOOL_OUTPUT] = await toolsOf(build)
  build.names = build.names.filter((name) => name !== TOOL_OUTPUT)
  return build.names.length === 0 ? build : convertInputs(build)
}

function convertInputs<B extends VertexBuild>(build: B): B | Promise<B> {
  let inputs: ReturnType<typeof fieldValues>
  try {
    inputs = fieldValues(build.vertex.component, build.raw, build)
  } catch (error) {
    throw componentError(error, '', build)
  }
  if (inputs instanceof Promise) return inputs.then((read) => prepare(build, read))
  return prepare(build, inputs)
}

function prepare<B extends VertexBuild>(build: B, inputs: Record<string, unknown>): B | Promise<B> {
  const { ctx, names, vertex } = build
  build.inputs = inputs
  ctx.enter(names[0] ?? '')
  if (vertex.component.prepare === undefined) return compute(build, 0)
  const prepared: unknown = vertex.component.prepare(inputs, ctx)
  return prepared === undefined
    ? compute(build, 0)
    : Promise.resolve(prepared).then(() => compute(build, 0))
}

/** Computes the outputs from an index on. */
function compute<B extends VertexBuild>(build: B, from: number): B | Promise<B> {
  const { ctx, names, inputs, vertex } = build
  for (let at = from; at < names.length; at += 1) {
    const name = names[at] ?? ''
    const definition = vertex.component.outputs[name]
    if (definition === undefined) continue
    if (!ctx.open) throw ctx.signal.reason
    ctx.enter(name)
    let value: unknown
    try {
      value = definition.run(inputs, ctx)
    } catch (error) {
      throw componentError(error, definition.method ?? name, build)
    }
    if (value instanceof Promise) return computeRest(build, at, value)
    const kept = keepOutput(build, name, value)
    if (kept !== undefined) return kept.then(() => compute(build, at + 1))
  }
  ctx.flush()
  return build
}

/** Awaits the output at an index, then computes the following ones. */
function computeRest<B extends VertexBuild>(
  build: B,
  at: number,
  value: Promise<unknown>,
): Promise<B> {
  const name = build.names[at] ?? ''
  return value.then(
    (read) => {
      const kept = keepOutput(build, name, read)
      if (kept !== undefined) return kept.then(() => compute(build, at + 1))
      return compute(build, at + 1)
    },
    (error: unknown) => {
      throw componentError(error, build.vertex.component.outputs[name]?.method ?? name, build)
    },
  )
}

/** Adds the failing method to errors that ask for it, and the field to those of a value too deep. */
function componentError(error: unknown, method: string, build: VertexBuild): unknown {
  if (error instanceof OutputMethodError) error.method = method
  return mayBeOverflow(error) ? (deepFieldError(build.raw, build.vertex.component) ?? error) : error
}

/** Converts a value for its output. Returns a promise only for a stream, which is read first, or a large value. */
function keepOutput(build: VertexBuild, name: string, value: unknown): Promise<void> | undefined {
  const kind = build.vertex.component.outputs[name]?.outputKind ?? 'any'
  const declared = toOutputValue(kind, value)
  if (!isStreaming(declared)) return setOutput(build, name, declared)
  return finishStream(declared, build.ctx, build.run).then((whole) => setOutput(build, name, whole))
}

function setOutput(build: VertexBuild, name: string, value: unknown): Promise<void> | undefined {
  const { run } = build
  const kept = typeof value === 'object' ? ofFlow(value, run.flowId) : value
  build.outputs[name] = kept
  const bytes = valueBytesSoon(kept, run.limits.valueBytes)
  if (typeof bytes === 'number') {
    build.bytes += checkedBytes(bytes, name, run)
    return undefined
  }
  return bytes.then((counted) => void (build.bytes += checkedBytes(counted, name, run)))
}

/** A message without a flow is assigned to the flow that created it. */
function ofFlow(value: unknown, flowId: string): unknown {
  return isMessage(value) && value.flowId === null ? changeMessage(value, { flowId }) : value
}

/** Checks the brand only, because a getter of another value may throw. */
function isStreaming(value: unknown): boolean {
  return isMessage(value) && typeof value.text === 'object'
}

function checkedBytes(bytes: number, name: string, { limits }: RunContext): number {
  if (bytes > limits.valueBytes) {
    throw limitExceeded('valueBytes', `output ${name} is larger than ${limits.valueBytes} bytes`)
  }
  return bytes
}

/** Every call builds the component again, with the arguments overriding the node's own values. */
async function toolsOf(request: VertexBuild): Promise<unknown> {
  const { run, vertex, raw } = request
  return componentTools(vertex.component, {
    vertexId: vertex.id,
    values: { ...blanks(vertex.template), ...raw },
    metadata: raw.tools_metadata,
    async open(args, call) {
      const outer = request.signal ?? run.signal
      const signal = call === undefined ? outer : AbortSignal.any([outer, call.signal])
      const ctx = new VertexContext(run, new ToolCall(request, signal, call?.scope))
      const values = { ...raw, ...args }
      const inputs = await fieldValues(vertex.component, values, {
        file: (path) => fileOf(path, run),
      })
      return { inputs, ctx }
    },
  })
}

/** Names every field of a node: those without a value are arguments of its tools too. */
function blanks(template: Readonly<Record<string, unknown>> = {}): Record<string, undefined> {
  return Object.fromEntries(Object.keys(template).map((name) => [name, undefined]))
}

/** One call of a component as a tool, with its own state. */
class ToolCall implements BuildMetadata {
  readonly vertex: VertexMetadata
  readonly build: number
  readonly signal: AbortSignal
  readonly scope: string | undefined
  readonly asTool = true
  readonly #request: VertexBuild
  readonly #state = new Map<string, unknown>()
  #rests = false

  constructor(request: VertexBuild, signal: AbortSignal, scope: string | undefined) {
    this.vertex = request.vertex
    this.build = request.build
    this.signal = signal
    this.scope = scope
    this.#request = request
  }

  get over(): boolean {
    return this.#rests || this.#request.over
  }

  get info(): VertexInfo | undefined {
    return this.#request.info
  }

  async rest(): Promise<void> {
    this.#rests = true
  }

  state(): Map<string, unknown> {
    return this.#state
  }

  get variables(): Readonly<Record<string, string>> | undefined {
    return this.#request.variables
  }

  sources(field: string): readonly InputSource[] {
    return this.#request.sources(field)
  }

  inputType(field: string): string | undefined {
    return this.#request.inputType(field)
  }

  handleTypes(field: string): readonly string[] {
    return this.#request.handleTypes(field)
  }

  expectPasses(): number {
    return 1
  }
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
