import { FlowError, limitExceeded } from '../errors.ts'
import { decide, type Decision } from './branches.ts'
import { buildVertex, type OutputValues } from './build-vertex.ts'
import { fieldsOf } from './field-plan.ts'
import { isFrozenResult, resultKey, type FrozenResult } from './frozen.ts'
import { givenValues } from './given-values.ts'
import { DEAD, rawInputs, UNBUILT, type RawInputs } from './inputs.ts'
import type { InputSource } from '../components/context.ts'
import type { PlanEdge, PlanVertex } from './plan-graph.ts'
import type { RunContext } from './run-context.ts'
import type { RunHost } from './run-host.ts'
import type { RunRequest } from './run-request.ts'
import type { Task } from './scheduler.ts'
import { edgeState, stateOf } from './scope.ts'
import type { BranchCall, LogEntry } from './vertex-context.ts'

/** A build that succeeded. */
export interface TaskResult {
  readonly outputs: OutputValues
  readonly branches: readonly BranchCall[]
  readonly decision: Decision
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
  readonly bytes: number
  readonly usedFrozenResult: boolean
  readonly key: string | undefined
}

export interface TaskEnvironment {
  readonly run: RunContext
  readonly request: RunRequest
  /** Results are identified, because a frozen vertex may keep some. */
  readonly keyed: boolean
  readonly inputs: RunHost['inputs']
}

/** One build of one vertex: inputs, frozen result or component, decision (FE-20 to FE-33). */
export async function runTask(
  task: Task,
  build: number,
  environment: TaskEnvironment,
): Promise<TaskResult> {
  const { run, request } = environment
  const { vertex, scope } = task
  const { loopPasses } = run.limits
  if (build > loopPasses) {
    throw limitExceeded('loopPasses', `${vertex.displayName} was built ${loopPasses} times`)
  }
  const tweaked = request.tweaks.fields.get(vertex.index)
  const fields = fieldsOf(vertex, tweaked)
  for (const secret of fields.secrets) run.secrets.add(secret)
  const resolved = rawInputs(
    {
      vertex,
      fields,
      deliver: (edge) => deliver(task, edge, request),
      given: givenValues({ vertex, fields, request }),
      variables: request.options.variables,
    },
    run,
  )
  const raw = resolved instanceof Promise ? await resolved : resolved
  environment.inputs?.(vertex, raw)
  const key = environment.keyed ? keyOf(task, raw, environment) : undefined
  const kept = key === undefined ? undefined : await recall(vertex, key, request)
  if (kept !== undefined) return fromFrozen(kept, key)
  const { signal, stop } = run.limits.vertexTimeoutMs === null ? UNTIMED : vertexSignal(run, vertex)
  try {
    const work = buildVertex(run, {
      vertex,
      build,
      state: () => stateOf(scope, vertex),
      signal,
      asTool: false,
      sources: (field) => sourcesOf(task, field, request),
      raw,
      outputs: vertex.computed,
    })
    const { ctx, outputs, bytes } = await (signal === undefined ? work : timed(work, signal))
    const result: TaskResult = {
      outputs,
      branches: ctx.branches,
      decision: decide(ctx.branches, scope.decisions?.get(vertex.index)),
      logs: ctx.logs,
      hasStatus: ctx.hasStatus,
      bytes,
      usedFrozenResult: false,
      key,
    }
    if (key !== undefined) await keep(result, task, environment)
    return result
  } finally {
    stop?.()
  }
}

function deliver({ scope, vertex }: Task, edge: PlanEdge, { graph, slice }: RunRequest): unknown {
  if (slice.contains[edge.source] !== 1) return DEAD
  if (edge.loopBack && scope.built[vertex.local] === undefined) return UNBUILT
  const state = edgeState(graph, scope, edge)
  if (typeof state === 'object') return state.outputs[edge.output] ?? null
  return state === 'dead' ? DEAD : UNBUILT
}

const MODEL_FIELDS = ['model_name', 'model_id', 'model'] as const

/** Where the edges of a field come from, with the model the source is set to (CO-31). */
function sourcesOf({ vertex }: Task, field: string, request: RunRequest): InputSource[] {
  const { graph, tweaks } = request
  return vertex.incoming
    .filter((edge) => edge.field === field && !edge.self)
    .flatMap((edge) => {
      const source = graph.vertices[edge.source]
      if (source === undefined) return []
      const { id: vertexId, type, displayName } = source
      const model = modelOf(source, tweaks.fields.get(source.index))
      return [{ vertexId, type, displayName, output: edge.output, model }]
    })
}

function modelOf(vertex: PlanVertex, tweaked: Parameters<typeof fieldsOf>[1]): string | undefined {
  const { fixed } = fieldsOf(vertex, tweaked)
  for (const name of MODEL_FIELDS) {
    const value = fixed[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

const UNTIMED: ReturnType<typeof vertexSignal> = {}

/** FE-67: a signal of its own when vertices have a time limit. */
function vertexSignal(
  run: RunContext,
  { displayName }: PlanVertex,
): { readonly signal?: AbortSignal; readonly stop?: () => void } {
  const ms = run.limits.vertexTimeoutMs
  if (ms === null) return {}
  const controller = new AbortController()
  const done = new AbortController()
  const stop = (): void => done.abort()
  const signal = AbortSignal.any([controller.signal, run.signal])
  run.runtime.sleep(ms, done.signal).then(
    () =>
      controller.abort(
        new FlowError('timeout', `Component ${displayName} timed out after ${ms} ms`),
      ),
    () => undefined,
  )
  return { signal, stop }
}

function timed<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function keyOf({ scope, vertex }: Task, raw: RawInputs, { request, run }: TaskEnvironment): string {
  const { fields } = fieldsOf(vertex, request.tweaks.fields.get(vertex.index))
  const hidden = fields.filter((field) => field.secret || field.variable !== undefined)
  const upstream = vertex.incoming.map((edge) => {
    const state = edgeState(request.graph, scope, edge)
    return typeof state === 'object' ? state.key : state
  })
  return resultKey({
    vertex,
    userId: run.userId,
    flowId: run.flowId,
    raw,
    secret: new Set(hidden.map((field) => field.name)),
    upstream,
  })
}

async function recall(
  { frozen }: PlanVertex,
  key: string,
  { options: { cache } }: RunRequest,
): Promise<FrozenResult | undefined> {
  if (!frozen || cache === undefined) return undefined
  try {
    const kept = await cache.get(key)
    return kept !== undefined && isFrozenResult(kept) ? kept : undefined
  } catch {
    // A cache that does not answer is an empty one.
    return undefined
  }
}

async function keep(
  { outputs, branches, logs, hasStatus, bytes, key = '' }: TaskResult,
  { vertex }: Task,
  { request, run }: TaskEnvironment,
): Promise<void> {
  const { cache } = request.options
  if (!vertex.frozen || cache === undefined || run.secrets.occursIn(outputs)) return
  const result: FrozenResult = { outputs, branches, logs, hasStatus, bytes: bytes + 256 }
  try {
    await cache.set(key, result)
  } catch {
    // The result is right whether it is kept or not.
  }
}

function fromFrozen(kept: FrozenResult, key: string | undefined): TaskResult {
  const { outputs, branches, logs, hasStatus, bytes } = kept
  const decision = decide(branches, undefined)
  const values = Object.assign(Object.create(null), outputs) as OutputValues
  return {
    outputs: values,
    branches,
    decision,
    logs,
    hasStatus,
    bytes,
    usedFrozenResult: true,
    key,
  }
}
