// Over 350 lines: one build of a vertex from its inputs to its result, step after step.
import type { TaskEnvironment } from './task-environment.ts'
import { FlowError, limitExceeded, type SuspendedError } from '../../errors.ts'
import { decide, type Decision } from '../schedule/decision.ts'
import { buildVertex, VertexBuild } from './vertex-build.ts'
import type { OutputValues } from '../schedule/scope.ts'
import { fieldsOf, type VertexFields } from './field-plan.ts'
import type { KeptVertex } from '../context/cache.ts'
import { isFrozenResult, placeOf, resultKey, type FrozenResult } from './frozen.ts'
import { givenValues } from './given-values.ts'
import { DEAD, rawInputs, UNBUILT, type InputRequest, type RawInputs } from './inputs.ts'
import type { InputSource } from '../../components/define/context.ts'
import { own, ownObject, ownText, texts } from '../flow/plain-object.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunRequest } from '../context/run-request.ts'
import type { Task } from '../schedule/task.ts'
import { edgeState, stateOf, type Scope } from '../schedule/scope.ts'
import { announcePasses, returnedValues, signalOf } from '../schedule/parallel-passes.ts'
import type { BranchCall } from '../schedule/decision.ts'
import type { LogEntry } from '../events/vertex-logs.ts'

/** A build that succeeded. */
export interface TaskResult {
  readonly outputs: OutputValues
  readonly branches: readonly BranchCall[]
  readonly decision: Decision
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
  readonly bytes: number
  readonly usedFrozenResult: boolean
}

/** One of several builds of a vertex that may fail (DR-50). */
export interface Attempt {
  /** From 1. */
  readonly attempt: number
  /** Filled in: ids of the messages it sends. */
  readonly sent: Set<string>
}

/** One build of one vertex of a run: what it is given, and where from (FE-20 to FE-22). */
class TaskBuild extends VertexBuild<PlanVertex> implements InputRequest, TaskResult {
  readonly fields: VertexFields
  readonly given: ReadonlyMap<string, unknown>
  /** Fires when the time of the vertex is up, too (FE-67). */
  timed: AbortSignal | undefined = undefined
  readonly attempt: number
  readonly sent: Set<string> | undefined
  readonly #task: Task
  readonly #scope: Scope
  readonly #environment: TaskEnvironment
  #rests = false
  #restSignal: AbortController | undefined
  #signal: AbortSignal | undefined

  constructor(task: Task, build: number, environment: TaskEnvironment, attempt?: Attempt) {
    const { run, request } = environment
    const { scope, vertex } = task
    super(run, { vertex, build, names: vertex.computed })
    this.attempt = attempt?.attempt ?? 1
    this.sent = attempt?.sent
    this.#task = task
    this.#scope = scope
    this.#environment = environment
    this.fields = fieldsOf(vertex, request.tweaks.fields.get(vertex.index))
    this.given = givenValues({ vertex, fields: this.fields, request })
  }

  get branches(): readonly BranchCall[] {
    return this.ctx.branches
  }

  get decision(): Decision {
    return decide(this.ctx.branches, this.#scope.decisions?.get(this.vertex.index))
  }

  get logs(): ReadonlyMap<string, readonly LogEntry[]> {
    return this.ctx.logs
  }

  get hasStatus(): boolean | 'text' {
    return this.ctx.hasStatus
  }

  get usedFrozenResult(): boolean {
    return false
  }

  get signal(): AbortSignal | undefined {
    if (this.timed !== undefined) return this.timed
    const outer = signalOf(this.#scope)
    if (!this.#environment.mayRest) return outer
    this.#restSignal ??= new AbortController()
    return (this.#signal ??= AbortSignal.any([this.#restSignal.signal, outer ?? this.run.signal]))
  }

  get over(): boolean {
    return this.#scope.cancelled || this.#rests || this.timed?.aborted === true
  }

  async rest(reason: SuspendedError): Promise<void> {
    if (this.#rests) return
    this.#rests = true
    if (this.partial !== undefined && this.run.open()) await withdrawPartial(this, this.run)
    this.#restSignal?.abort(reason)
    this.#environment.rest(this.#task)
  }

  get variables(): Readonly<Record<string, string>> | undefined {
    return this.#environment.request.options.variables
  }

  state(): Map<string, unknown> {
    return stateOf(this.#scope, this.vertex)
  }

  sources(field: string): readonly InputSource[] {
    return sourcesOf(this.vertex, field, this.#environment.request)
  }

  inputType(field: string): string | undefined {
    return ownText(ownObject(this.vertex.template, field) ?? {}, '_input_type')
  }

  handleTypes(field: string): readonly string[] {
    const types = own(ownObject(this.vertex.template, field) ?? {}, 'input_types')
    return Array.isArray(types) ? texts(types) : []
  }

  /** The builds of a frozen loop are kept one by one, so that its passes follow each other (FE-33). */
  expectPasses(items: number): number {
    const { loop, frozen } = this.vertex
    const { parallel, keyed } = this.#environment
    if (loop === undefined || items < 2 || parallel === 1 || (frozen && keyed)) return 1
    announcePasses(this.#scope, loop, { parallel, items })
    return parallel
  }

  deliver(edge: PlanEdge): unknown {
    const { graph, slice } = this.#environment.request
    const scope = this.#scope
    if (slice.contains[edge.source] !== 1) return DEAD
    if (edge.loopBack) {
      if (scope.replayed?.has(edge.index) === true) return scope.replayed.get(edge.index)
      if (scope.built[this.vertex.local] === undefined) return UNBUILT
      const beside = scope.sideBySide?.get(this.vertex.loop ?? 0)
      if (beside !== undefined) return returnedValues(beside, edge.field) ?? UNBUILT
    }
    const state = edgeState(graph, scope, edge)
    if (typeof state === 'object') return state.outputs[edge.output] ?? null
    return state === 'dead' ? DEAD : UNBUILT
  }
}

/**
 * One build of one vertex: inputs, frozen result or component, decision (FE-20 to FE-33). A promise
 * only where something has to be waited for.
 */
export function runTask(
  task: Task,
  build: number,
  environment: TaskEnvironment,
  attempt?: Attempt,
): TaskResult | Promise<TaskResult> {
  const { run } = environment
  const { vertex } = task
  const { loopPasses } = run.limits
  if (build > loopPasses) {
    throw limitExceeded('loopPasses', `${vertex.displayName} was built ${loopPasses} times`)
  }
  const work = new TaskBuild(task, build, environment, attempt)
  for (const secret of work.fields.secrets) run.secrets.add(secret)
  const raw = rawInputs(work, run)
  if (raw instanceof Promise || environment.keyed || run.limits.vertexTimeoutMs !== null) {
    return runBounded(task, work, { environment, raw })
  }
  work.raw = raw
  environment.inputs?.(vertex, raw)
  return buildVertex(work)
}

/** Hides the secrets of a build whose result is restored: the result may hold them (FE-65). */
export async function learnSecrets(task: Task, environment: TaskEnvironment): Promise<void> {
  const { run } = environment
  const work = new TaskBuild(task, 1, environment)
  for (const secret of work.fields.secrets) run.secrets.add(secret)
  try {
    await rawInputs(work, run)
  } catch {
    // A variable that is gone fails no vertex that has its result.
  }
}

interface Bounded {
  readonly environment: TaskEnvironment
  readonly raw: RawInputs | Promise<RawInputs>
}

/** With variables, frozen results or a time limit (FE-20, FE-33, FE-67). */
async function runBounded(
  task: Task,
  work: TaskBuild,
  { environment, raw: given }: Bounded,
): Promise<TaskResult> {
  const { run } = environment
  const { vertex } = task
  const raw = await given
  work.raw = raw
  environment.inputs?.(vertex, raw)
  const key = keyOf(work, task, environment)
  const kept = key === undefined ? undefined : await recall(key, work, environment)
  if (kept !== undefined) return fromFrozen(kept)
  const { signal, stop } = vertexSignal(run, vertex, work.signal)
  work.timed = signal
  try {
    const building = buildVertex(work)
    await (signal !== undefined && building instanceof Promise ? timed(building, signal) : building)
    if (key !== undefined) await keep(work, key, environment)
    return work
  } catch (error) {
    if (signal?.aborted === true && run.open() && !environment.isResting(task))
      await withdrawPartial(work, run)
    throw error
  } finally {
    stop?.()
  }
}

/** FE-51: a message that was being streamed when the time was up is taken back. */
async function withdrawPartial({ partial }: TaskBuild, { messages }: RunContext): Promise<void> {
  const record = partial === undefined ? undefined : messages.records.get(partial)
  if (record !== undefined && Reflect.get(record.properties, 'state') === 'partial') {
    await messages.withdraw(record.id)
  }
}

const MODEL_FIELDS = ['model_name', 'model_id', 'model'] as const

/** Where the edges of a field come from, with the model the source is set to (CO-31). */
function sourcesOf(vertex: PlanVertex, field: string, request: RunRequest): InputSource[] {
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

/** FE-67: a signal of its own when vertices have a time limit. */
function vertexSignal(
  run: RunContext,
  { displayName }: PlanVertex,
  outer: AbortSignal = run.signal,
): { readonly signal?: AbortSignal; readonly stop?: () => void } {
  const ms = run.limits.vertexTimeoutMs
  if (ms === null) return {}
  const controller = new AbortController()
  const done = new AbortController()
  const stop = (): void => done.abort()
  const signal = AbortSignal.any([controller.signal, outer])
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

/**
 * The key of the result that is to be kept: of frozen vertices, and in the editor of the others too,
 * since freezing keeps the last result (FE-33). Passes of loops are kept of frozen vertices only.
 */
function keyOf(
  { fields, build }: TaskBuild,
  { vertex, scope }: Task,
  { keyed, request, run }: TaskEnvironment,
): string | undefined {
  if (!keyed) return undefined
  const isOnce = build === 1 && vertex.loop === undefined && scope.parent === undefined
  if (!vertex.frozen && !(request.mode === 'build' && isOnce)) return undefined
  return resultKey({ vertex, fields, userId: run.userId, flowId: run.flowId, build })
}

async function recall(
  key: string,
  { vertex, build }: TaskBuild,
  { request, run }: TaskEnvironment,
): Promise<FrozenResult | undefined> {
  const { cache } = request.options
  if (!vertex.frozen || cache === undefined) return undefined
  try {
    const kept = await cache.get(key, keptVertex(vertex, build, run.flowId))
    return kept !== undefined && isFrozenResult(kept) ? kept : undefined
  } catch {
    // A cache that does not answer is an empty one.
    return undefined
  }
}

/** Larger results are kept of frozen vertices only: others let go of their values (FE-16). */
const MAX_UNFROZEN_BYTES = 1024 * 1024

async function keep(
  { outputs, branches, logs, hasStatus, bytes, vertex, build }: TaskBuild,
  key: string,
  { request, run }: TaskEnvironment,
): Promise<void> {
  const { cache } = request.options
  if (!vertex.frozen && bytes > MAX_UNFROZEN_BYTES) return
  if (cache === undefined || run.secrets.occursIn(outputs)) return
  const result: FrozenResult = { outputs, branches, logs, hasStatus, bytes: bytes + 256 }
  try {
    await cache.set(key, result, keptVertex(vertex, build, run.flowId))
  } catch {
    // The result is right whether it is kept or not.
  }
}

function keptVertex(vertex: PlanVertex, build: number, flowId: string): KeptVertex {
  return { flowId, place: placeOf(vertex, build), frozen: vertex.frozen }
}

function fromFrozen(kept: FrozenResult): TaskResult {
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
  }
}
