import { componentTools } from '../components/component-tools.ts'
import { fieldValues, type FieldValueOptions } from '../components/field-values.ts'
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

/**
 * Builds one vertex: converts its inputs, prepares it, computes its outputs in order (FE-25). A
 * promise only where a component, a stream or a conversion gives one.
 */
export function buildVertex(
  run: RunContext,
  request: BuildRequest,
): VertexBuild | Promise<VertexBuild> {
  const build = new Build(run, request)
  if (request.outputs.includes(TOOL_OUTPUT)) return buildWithTools(build, request)
  return convertInputs(build, request.raw)
}

/** A build that is under way. */
class Build implements VertexBuild, FieldValueOptions {
  // A third of the size of Object.create(null), which makes a hash table.
  readonly outputs: OutputValues = Object.setPrototypeOf({}, null) as OutputValues
  readonly ctx: VertexContext
  bytes = 0
  readonly run: RunContext
  readonly vertex: BuildRequest['vertex']
  /** The outputs to compute. */
  names: readonly string[]
  inputs: Record<string, unknown> = NO_VALUES

  constructor(run: RunContext, request: BuildRequest) {
    this.ctx = new VertexContext(run, request)
    this.run = run
    this.vertex = request.vertex
    this.names = request.outputs
  }

  file(path: string): FileReference {
    return fileOf(path, this.run)
  }
}

const NO_VALUES: Record<string, unknown> = {}

async function buildWithTools(build: Build, request: BuildRequest): Promise<VertexBuild> {
  build.ctx.enter(TOOL_OUTPUT)
  build.outputs[TOOL_OUTPUT] = await toolsOf(build.run, request)
  build.names = request.outputs.filter((name) => name !== TOOL_OUTPUT)
  return build.names.length === 0 ? build : convertInputs(build, request.raw)
}

function convertInputs(build: Build, raw: BuildRequest['raw']): VertexBuild | Promise<VertexBuild> {
  const inputs = fieldValues(build.vertex.component, raw, build)
  if (inputs instanceof Promise) return inputs.then((read) => prepare(build, read))
  return prepare(build, inputs)
}

function prepare(
  build: Build,
  inputs: Record<string, unknown>,
): VertexBuild | Promise<VertexBuild> {
  const { ctx, names, vertex } = build
  build.inputs = inputs
  ctx.enter(names[0] ?? '')
  if (vertex.component.prepare === undefined) return compute(build, 0)
  const prepared: unknown = vertex.component.prepare(inputs, ctx)
  return prepared === undefined
    ? compute(build, 0)
    : Promise.resolve(prepared).then(() => compute(build, 0))
}

/** The outputs from a place on. */
function compute(build: Build, from: number): VertexBuild | Promise<VertexBuild> {
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
      throw withMethod(error, definition.method ?? name)
    }
    if (value instanceof Promise) return computeRest(build, at, value)
    const kept = keepOutput(build, name, value)
    if (kept !== undefined) return kept.then(() => compute(build, at + 1))
  }
  ctx.flush()
  return build
}

/** Waits for the output at a place, then computes those behind it. */
function computeRest(build: Build, at: number, value: Promise<unknown>): Promise<VertexBuild> {
  const name = build.names[at] ?? ''
  return value.then(
    (read) => {
      const kept = keepOutput(build, name, read)
      if (kept !== undefined) return kept.then(() => compute(build, at + 1))
      return compute(build, at + 1)
    },
    (error: unknown) => {
      throw withMethod(error, build.vertex.component.outputs[name]?.method ?? name)
    },
  )
}

/** Says which method failed, where the error wants to know. */
function withMethod(error: unknown, method: string): unknown {
  if (error instanceof OutputMethodError) error.method = method
  return error
}

/** Puts a value in the form of its output; a promise only for a stream, which is read first. */
function keepOutput(build: Build, name: string, value: unknown): Promise<void> | undefined {
  const kind = build.vertex.component.outputs[name]?.outputKind ?? 'any'
  const declared = toOutputValue(kind, value)
  if (!isStreaming(declared)) {
    setOutput(build, name, declared)
    return undefined
  }
  return finishStream(declared, build.ctx, build.run).then((whole) => setOutput(build, name, whole))
}

function setOutput(build: Build, name: string, value: unknown): void {
  const { run } = build
  const kept = typeof value === 'object' ? ofFlow(value, run.flowId) : value
  build.outputs[name] = kept
  build.bytes += checkedBytes(kept, name, run)
}

/** A message that belongs to no flow yet belongs to the one that made it (results.md 3). */
function ofFlow(value: unknown, flowId: string): unknown {
  return isMessage(value) && value.flowId === null ? changeMessage(value, { flowId }) : value
}

/** By its brand: a getter of another value may throw (FE-66). */
function isStreaming(value: unknown): boolean {
  return isMessage(value) && typeof value.text === 'object'
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
  const { vertex, build, raw } = request
  return componentTools(vertex.component, {
    vertexId: vertex.id,
    values: raw,
    metadata: raw.tools_metadata,
    async open(args, callSignal) {
      const outer = request.signal ?? run.signal
      const signal = callSignal === undefined ? outer : AbortSignal.any([outer, callSignal])
      const state = new Map<string, unknown>()
      const ctx = new VertexContext(run, {
        vertex,
        build,
        signal,
        get over() {
          return request.over
        },
        asTool: true,
        state: () => state,
        sources: (field) => request.sources(field),
        expectPasses: () => 1,
      })
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
