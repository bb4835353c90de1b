import type { InputSource } from '../../components/define/context.ts'
import type { SuspendedError } from '../../errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { LogEntry } from '../events/vertex-logs.ts'
import { own, ownObject, ownText, textsIn } from '@x/wire'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { decide, type BranchCall, type Decision } from '../schedule/decision.ts'
import { announcePasses, returnedValues, signalOf } from '../schedule/parallel-passes.ts'
import { DEAD, edgeState, stateOf, type OutputValues, type Scope } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import { deadFields } from './dead-fields.ts'
import { planFields, type VertexFields } from './field-plan.ts'
import type { FrozenResult } from './frozen.ts'
import { givenValues } from './given-values.ts'
import { sourcesOf } from './input-sources.ts'
import { DEAD_EDGE, UNBUILT, type InputRequest } from './inputs.ts'
import type { TaskEnvironment } from './task-environment.ts'
import { VertexBuild } from './vertex-build.ts'

/** A successful build: the part that may be stored, and its effect on this run. */
export interface TaskResult extends FrozenResult {
  readonly outputs: OutputValues
  readonly decision: Decision
  readonly usedFrozenResult: boolean
}

/** One attempt at building a vertex. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number
  /** Collects the ids of messages it sends. */
  readonly sent: Set<string>
}

/** One build of one vertex of a run: its inputs and their sources. */
export class TaskBuild extends VertexBuild<PlanVertex> implements InputRequest, TaskResult {
  readonly fields: VertexFields
  readonly given: ReadonlyMap<string, unknown>
  /** Also aborted when the vertex's time limit expires. */
  timed: AbortSignal | undefined = undefined
  readonly attempt: number
  readonly sent: Set<string> | undefined
  readonly task: Task
  readonly environment: TaskEnvironment
  readonly #scope: Scope
  #rests = false
  #restSignal: AbortController | undefined
  #signal: AbortSignal | undefined

  constructor(task: Task, build: number, environment: TaskEnvironment, attempt?: Attempt) {
    const { run } = environment
    const { scope, vertex } = task
    super(run, { vertex, build, names: vertex.computed })
    this.attempt = attempt?.attempt ?? 1
    this.sent = attempt?.sent
    this.task = task
    this.#scope = scope
    this.environment = environment
    const hasDead = vertex.cycle !== undefined || ((scope.marks[vertex.local] ?? 0) & DEAD) !== 0
    const dead = hasDead ? deadFields(task, run) : undefined
    this.fields = planFields(vertex, run.tweaks.fields.get(vertex.index), dead)
    this.given = givenValues({ vertex, fields: this.fields, run })
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
    if (!this.environment.mayRest) return outer
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
    this.environment.rest(this.task)
  }

  get variables(): Readonly<Record<string, string>> | undefined {
    return this.environment.run.options.variables
  }

  state(): Map<string, unknown> {
    return stateOf(this.#scope, this.vertex)
  }

  sources(field: string): readonly InputSource[] {
    return sourcesOf(this.task, field, this.environment.run)
  }

  inputType(field: string): string | undefined {
    return ownText(ownObject(this.vertex.template, field) ?? {}, '_input_type')
  }

  handleTypes(field: string): readonly string[] {
    const types = own(ownObject(this.vertex.template, field) ?? {}, 'input_types')
    return Array.isArray(types) ? textsIn(types) : []
  }

  /** The builds of a frozen loop are stored one by one, so its passes run sequentially. */
  expectPasses(items: number): number {
    const { loop, frozen } = this.vertex
    const { parallel, keyed } = this.environment
    if (loop === undefined || items < 2 || parallel === 1 || (frozen && keyed)) return 1
    announcePasses(this.#scope, loop, { parallel, items })
    return parallel
  }

  deliver(edge: PlanEdge): unknown {
    const { graph, slice } = this.environment.run
    const scope = this.#scope
    if (slice.contains[edge.source] !== 1) return DEAD_EDGE
    if (edge.loopBack) {
      if (scope.replayed?.has(edge.index) === true) return scope.replayed.get(edge.index)
      if (scope.built[this.vertex.local] === undefined) return UNBUILT
      const beside = scope.sideBySide?.get(this.vertex.loop ?? 0)
      if (beside !== undefined) return returnedValues(beside, edge.field) ?? UNBUILT
    }
    const state = edgeState(graph, scope, edge)
    if (typeof state === 'object') return state.outputs[edge.output] ?? null
    return state === 'dead' ? DEAD_EDGE : UNBUILT
  }
}

/** Withdraws a message that was still streaming when the time limit expired. */
export async function withdrawPartial(
  { partial }: TaskBuild,
  { messages }: RunContext,
): Promise<void> {
  const record = partial === undefined ? undefined : messages.records.get(partial)
  if (record !== undefined && Reflect.get(record.properties, 'state') === 'partial') {
    await messages.withdraw(record.id)
  }
}
