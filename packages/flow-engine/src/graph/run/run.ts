import { eventLoopTurn } from '@x/wire'
import { FlowError, limitExceeded } from '../../errors.ts'
import { wasReported, type RunHost } from '../context/run-host.ts'
import type { FlowRun, RunOptions, RunResult } from '../context/run-options.ts'
import { runAttempts } from '../durable/attempts.ts'
import { runDurable } from '../durable/durable-task.ts'
import { cutToEvent } from '../events/event-size.ts'
import { endJson } from '../events/run-warning.ts'
import { notesOf } from '../events/vertex-notes.ts'
import { EndVertex } from '../results/end-vertex.ts'
import { FinishedRun } from '../results/finished-run.ts'
import { sortedVertices } from '../results/sorted-vertices.ts'
import { Cuts } from '../schedule/cuts.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import type { Task } from '../schedule/task.ts'
import { lacksInput } from '../vertex/dead-fields.ts'
import { engineFailure, failureMessage, vertexFailure } from '../vertex/failure.ts'
import type { TaskResult } from '../vertex/task-build.ts'
import { TaskEnvironment } from '../vertex/task-environment.ts'
import { createValueRelease, SMALL_BYTES } from '../vertex/value-release.ts'
import { failedRecord, VertexRecord } from '../vertex/vertex-record.ts'
import { InactivatedVertices } from './inactivated.ts'
import { OpenRun } from './open-run.ts'
import { RefusedRun } from './refused-run.ts'
import { reportRunEnd } from './report-run.ts'
import { deadlinesOf, type Deadline } from './run-deadlines.ts'
import { RunTurn } from './run-turn.ts'
import { TaskQueue } from './task-queue.ts'
import { watchSeconds } from './time-budget.ts'

/** Like `runFlow`, for hosts that run flows durably. */
export function startRun(flow: unknown, options: RunOptions, host: RunHost): FlowRun {
  try {
    return new Run(flow, options, host)
  } catch (error) {
    return new RefusedRun(error, options, host)
  }
}

const BEGIN = Promise.resolve()

/** Checks a request, builds the vertices in the scheduler's order, and reports their ends. */
class Run extends OpenRun implements Deadline {
  readonly result: Promise<RunResult>
  deadline = Number.POSITIVE_INFINITY
  protected readonly start = startRun
  readonly #startedAt: number
  readonly #scheduler: Scheduler
  readonly #turn: RunTurn
  readonly #environment: TaskEnvironment
  readonly #inactivated: InactivatedVertices
  readonly #queue = new TaskQueue()
  #running = 0
  #suspended = 0
  #release: ReturnType<typeof createValueRelease> | undefined
  #resolve: (result: RunResult) => void = () => undefined

  // Check.

  /**
   * Begins in a microtask.
   * @throws FlowCompileError if the flow cannot be run
   * @throws FlowError `invalid_request`
   */
  constructor(flow: unknown, options: RunOptions, host: RunHost) {
    super(flow, options, host)
    const { graph, slice, strict } = this
    const cuts = new Cuts(graph, strict)
    const lacks = (task: Task): boolean => lacksInput(task, this)
    const broken = (error: unknown): void => this.exceed(engineFailure(error))
    const rested = (task: Task): void => this.#rested(task)
    this.#scheduler = new Scheduler({ graph, slice, strict, cuts, lacksInput: lacks })
    this.#turn = new RunTurn(this.runtime, broken, cuts)
    this.#environment = new TaskEnvironment(this, { rested, clock: this.#turn })
    this.#inactivated = new InactivatedVertices(this, this.#scheduler)
    this.#startedAt = this.runtime.now().getTime()
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
    BEGIN.then(() => this.#turn.report(() => this.#begin())).catch(broken)
  }

  // Order.

  #begin(): void {
    const { host, options, limits } = this
    if (options.signal?.aborted === true) this.handleEvent()
    else options.signal?.addEventListener('abort', this)
    if (!this.open()) return
    this.reporter?.start()
    watchSeconds(this)
    if (host.resume?.sorted !== true) this.send('vertices_sorted', () => sortedVertices(this))
    if (limits.runTimeoutMs !== null) {
      this.deadline = this.#startedAt + limits.runTimeoutMs
      deadlinesOf(this.runtime).add(this)
    }
    this.afterRetraction(() => this.#enqueue(this.#scheduler.begin()))
  }

  /** Starts as many tasks as there are free slots; the rest waits. */
  #enqueue(tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (this.#queue.isEmpty && this.#hasRoom()) this.#call(task)
      else this.#queue.add(task)
    }
    this.#pump()
  }

  #hasRoom(): boolean {
    const { concurrency = Number.POSITIVE_INFINITY } = this.options
    if (this.host.mayStart?.() === false) return false
    return this.phase === 'running' && this.#running < concurrency
  }

  #pump(): void {
    while (!this.#queue.isEmpty && this.#hasRoom()) {
      const task = this.#queue.take()
      if (task !== undefined && this.#scheduler.wants(task)) this.#call(task)
    }
    if (this.#running > 0 || this.phase !== 'running') return
    if (!this.#queue.isEmpty) this.host.left?.()
    void (this.#suspended > 0 ? this.#rest() : this.#finish())
  }

  // Call.

  #call(task: Task): void {
    const { index } = task.vertex
    const build = (this.builds[index] ?? 0) + 1
    this.builds[index] = build
    this.#running += 1
    task.scope.running += 1
    const from = this.#turn.time
    const work = this.#attempt(task, build, from)
    if (work instanceof Promise) {
      work.then(
        (result) => this.#afterWait(task, result, from),
        (thrown: unknown) => this.#turn.report(() => this.#failed(task, thrown, from)),
      )
    } else if (work !== undefined) {
      this.#turn.reportLater(() => this.#succeeded(task, work, from))
    }
  }

  /** Starts the build of a task. Returns undefined if it failed at once, which is reported later. */
  #attempt(task: Task, build: number, from: number): TaskResult | Promise<TaskResult> | undefined {
    try {
      return (this.#environment.isPlain ? runAttempts : runDurable)(task, build, this.#environment)
    } catch (thrown) {
      this.#turn.reportLater(() => this.#failed(task, thrown, from))
      return undefined
    }
  }

  // Emit.

  /** Must not throw: its run would wait for ever. */
  #afterWait(task: Task, result: TaskResult, from: number): void {
    try {
      this.#turn.end()
      if (task.open !== undefined) this.reporter?.ended(task.open, result, this.#turn.time)
      this.#succeeded(task, result, from)
      this.#turn.end()
    } catch (error) {
      this.#turn.broken(error)
    }
  }

  #succeeded(task: Task, result: TaskResult, from: number): void {
    if (this.#environment.isResting(task) || !task.leave()) return
    this.#running -= 1
    if (this.phase !== 'running') return
    const { vertex, scope } = task
    const at = this.#turn.time
    const record = new VertexRecord(vertex, {
      outputs: result.outputs,
      decision: result.decision,
      usedFrozenResult: result.usedFrozenResult,
      builds: this.builds[vertex.index] ?? 1,
      attempts: this.#environment.attemptsOf(task),
      durationMs: Math.max(0, at - from),
    })
    const notes = notesOf(result)
    this.outcome.record(record, notes)
    this.host.built?.({ vertex, result: record, mask: this.secrets.maskJson })
    const inactivated = this.#inactivated.after(task, result)
    const ready = this.#scheduler.finished(task, record)
    const end = new EndVertex({ result: record, vertex, notes, inactivated, ready, at }, this)
    this.#report(end)
    if (result.bytes > SMALL_BYTES) {
      this.#release ??= createValueRelease(this)
      this.#release.built({ task, record, end })
    }
    this.#release?.read(scope, vertex)
    this.#abandon()
    this.#enqueue(ready)
  }

  async #failed(task: Task, thrown: unknown, from: number): Promise<void> {
    if (task.open !== undefined) this.reporter?.failed(task.open, thrown)
    if (this.#environment.isResting(task) || !task.leave()) return
    if (this.phase !== 'running') {
      this.#running -= 1
      return
    }
    const { vertex } = task
    const { secrets, messages, runtime, limits } = this
    const { error, reason } = vertexFailure(thrown, vertex, secrets.mask)
    const builds = this.builds[vertex.index] ?? 1
    this.outcome.failed = true
    this.outcome.error ??= error
    const ends = this.mode === 'run'
    if (ends) this.#stop(error)
    this.#scheduler.failed(task)
    if (!ends) this.#abandon()
    // The message contains the reason only. If the service cannot store it, nothing else changes.
    const text = cutToEvent(reason, limits.eventBytes)
    if (!wasReported(this.host, vertex.id, builds))
      await messages.fail(failureMessage(text, vertex)).catch(() => undefined)
    this.#running -= 1
    if (!ends && !this.open()) return
    const at = runtime.now().getTime()
    const attempts = this.#environment.attemptsOf(task)
    const durationMs = Math.max(0, at - from)
    const result = failedRecord(vertex, { error, builds, attempts, durationMs })
    this.outcome.record(result, undefined)
    this.host.built?.({ vertex, result, mask: secrets.maskJson })
    const inactivated = this.#inactivated.excluded()
    const end = { result, vertex, notes: undefined, inactivated, ready: [], at }
    this.#report(new EndVertex(end, this))
    this.#turn.end()
    if (ends) await this.#finishAfterTurn()
    else this.#pump()
  }

  /** Sends `end_vertex`, unless an earlier process has sent it. */
  #report(end: EndVertex): void {
    if (!wasReported(this.host, end.result.id, end.result.builds)) this.sendEnd(end)
  }

  /** Passes concurrent with a failed one get one turn of the event loop to stop themselves. */
  #abandon(): void {
    if (this.#scheduler.cancelled.length === 0) return
    const passes = this.#scheduler.cancelled.splice(0)
    const reason = new FlowError('cancelled', 'Another iteration of the loop failed')
    for (const pass of passes) {
      this.#running -= pass.running
      pass.stop?.abort(reason)
    }
    this.#running += 1
    const goOn = (): void => {
      this.#running -= 1
      this.#turn.end()
      if (this.open()) this.#pump()
    }
    void eventLoopTurn().then(() => this.#turn.report(goOn))
  }

  /** A vertex waits for an answer or a timer: it sends no event and the others finish. */
  #rested(task: Task): void {
    if (!task.leave()) return
    this.#suspended += 1
    this.#running -= 1
    this.#turn.end()
    this.#pump()
  }

  /** Nothing is being built any more but a vertex is waiting. */
  async #rest(): Promise<void> {
    this.#running += 1
    await this.announce(this.host.rest?.())
    this.#running -= 1
    if (this.open()) await this.#finish()
  }

  // End.

  /** Nothing more starts, signals are aborted immediately, and `end` follows one turn later. */
  protected stop(reason: FlowError): void {
    if (this.phase !== 'running') return
    if (reason.code === 'interrupted') return this.exceed(reason)
    this.outcome.cancelled = true
    this.outcome.error ??= reason
    this.#stop(reason)
    void this.#finishAfterTurn()
  }

  /** The run has taken too long. */
  overdue(): void {
    const ms = this.limits.runTimeoutMs
    this.exceed(limitExceeded('runTimeoutMs', `the run took longer than ${ms} ms`))
  }

  /** A limit of the whole run was exceeded, its process stops, or the engine failed. */
  exceed(limit: FlowError): void {
    if (this.phase !== 'running') return
    this.outcome.failed = true
    this.outcome.error ??= limit
    this.#stop(limit)
    const finish = (): Promise<void> => this.#finishAfterTurn()
    const told = this.messages.fail(failureMessage(limit.detail, undefined))
    told.then(finish, finish).catch(() => undefined)
  }

  #stop(reason: FlowError): void {
    this.phase = 'stopping'
    this.stopSignal.abort(reason)
    for (const scope of this.#scheduler.scopes) scope.stop?.abort(reason)
  }

  /** Components get one turn of the event loop to stop themselves. */
  async #finishAfterTurn(): Promise<void> {
    if (this.#running > 0) await eventLoopTurn()
    await this.#finish()
  }

  /** Returns a promise only if messages have to be written. */
  #finish(): Promise<void> | undefined {
    if (this.phase === 'ended') return undefined
    const atRest = this.phase === 'running'
    this.phase = 'ended'
    if (this.deadline < Number.POSITIVE_INFINITY) deadlinesOf(this.runtime).remove(this)
    if (atRest && this.#suspended > 0) return this.#end(true)
    if (atRest) this.outcome.addStalled(this.#scheduler.stalled())
    const end = (): void => this.#end()
    return this.hasMessages ? this.messages.settle().then(end, end) : this.#end()
  }

  #end(rests = false): undefined {
    const { cancelled, warnings } = this.outcome
    if (!rests) this.send('end', () => (cancelled ? { cancelled } : endJson(warnings)))
    this.log.close()
    const took = Math.max(0, this.runtime.now().getTime() - this.#startedAt)
    const finished = new FinishedRun(this.outcome, this, took)
    this.options.signal?.removeEventListener('abort', this)
    reportRunEnd(this, finished, rests)
    this.#resolve(finished)
    return undefined
  }
}
