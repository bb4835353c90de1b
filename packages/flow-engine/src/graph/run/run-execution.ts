import { FlowError, limitExceeded } from '../../errors.ts'
import { runAttempts } from '../durable/attempts.ts'
import { runDurable } from '../durable/durable-task.ts'
import { EndVertex } from '../results/end-vertex.ts'
import { cutToEvent } from '../events/event-size.ts'
import { eventLoopTurn } from '@x/wire'
import { engineFailure, failureMessage, vertexFailure } from '../vertex/failure.ts'
import { FinishedRun } from '../results/finished-run.ts'
import { InactivatedVertices } from './inactivated.ts'
import type { LazySignal } from '../context/lazy-signal.ts'
import { notesOf } from '../events/vertex-notes.ts'
import { RunOutcome } from '../results/run-outcome.ts'
import type { Phase } from './phase.ts'
import type { ExecutionOptions } from './execution-options.ts'
import { afterRetraction } from './after-retraction.ts'
import { announceQuestion } from './announce-question.ts'
import { reportRunEnd } from './report-run.ts'
import { deadlinesOf, type Deadline } from './run-deadlines.ts'
import type { RunContext } from '../context/run-context.ts'
import { wasReported, type RunHost } from '../context/run-host.ts'
import type { RunLog } from '../events/run-log.ts'
import { endJson } from '../events/run-warning.ts'
import type { RunResult } from '../context/run-options.ts'
import type { RunRequest } from '../context/run-request.ts'
import { createScheduler } from './create-scheduler.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { Task } from '../schedule/task.ts'
import { sortedVertices } from '../results/sorted-vertices.ts'
import { noteStalled } from './note-stalled.ts'
import { RunTurn } from './run-turn.ts'
import { TaskQueue } from './task-queue.ts'
import { createValueRelease, SMALL_BYTES } from '../vertex/value-release.ts'
import { TaskEnvironment } from '../vertex/task-environment.ts'
import type { TaskResult } from '../vertex/task-build.ts'
import { failedRecord, VertexRecord } from '../vertex/vertex-record.ts'

/** Builds the vertices of one run: starts those the scheduler releases and reports their ends. */
export class RunExecution implements Deadline {
  readonly #request: RunRequest
  readonly #run: RunContext
  readonly #log: RunLog
  readonly #host: RunHost
  readonly #controller: LazySignal
  readonly #phase: Phase
  readonly outcome: RunOutcome
  readonly #scheduler: Scheduler
  readonly #environment: TaskEnvironment
  #release: ReturnType<typeof createValueRelease> | undefined
  /** Builds so far, by vertex position. */
  readonly builds: number[]
  readonly #inactivated: InactivatedVertices
  deadline = Number.POSITIVE_INFINITY
  readonly #startedAt: number
  readonly #turn: RunTurn
  readonly #queue = new TaskQueue()
  #running = 0
  #suspended = 0
  #resolve: (result: RunResult) => void = () => undefined
  readonly result: Promise<RunResult>

  constructor({ request, run, log, host, controller, phase }: ExecutionOptions) {
    this.#request = request
    this.#run = run
    this.#log = log
    this.#host = host
    this.#controller = controller
    this.#phase = phase
    this.outcome = new RunOutcome(request)
    this.#scheduler = createScheduler(request)
    this.#inactivated = new InactivatedVertices(request, this.#scheduler)
    const rested = (task: Task): void => this.#rested(task)
    const broken = (error: unknown): void => this.exceed(engineFailure(error))
    this.#turn = new RunTurn(request.runtime, broken, this.#scheduler.cuts)
    this.#environment = new TaskEnvironment(run, request, { host, rested, clock: this.#turn })
    this.builds = this.#environment.builds
    this.#startedAt = request.runtime.now().getTime()
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  start(): void {
    if (this.#host.resume?.sorted !== true)
      this.#run.send('vertices_sorted', () => sortedVertices(this.#request))
    this.#watch()
    afterRetraction(this.#run, this.#host, () => this.#enqueue(this.#scheduler.begin()))
  }

  /** Nothing more starts, signals are aborted immediately, and `end` follows one turn later. */
  cancel(reason: FlowError): void {
    if (this.#phase.current !== 'running') return
    if (reason.code === 'interrupted') return this.exceed(reason)
    this.outcome.cancelled = true
    this.outcome.error ??= reason
    this.#stop(reason)
    void this.#finishAfterTurn()
  }

  /** A limit of the whole run was exceeded, its process stops, or the engine failed. */
  exceed(limit: FlowError): void {
    if (this.#phase.current !== 'running') return
    this.outcome.failed = true
    this.outcome.error ??= limit
    this.#stop(limit)
    this.#tellAndFinish(limit).catch(() => undefined)
  }

  async #tellAndFinish(error: FlowError): Promise<void> {
    try {
      await this.#run.messages.fail(failureMessage(error.detail, undefined))
    } finally {
      await this.#finishAfterTurn()
    }
  }

  /** A vertex waits for an answer or a timer: it sends no event and the others finish. */
  #rested(task: Task): void {
    if (!this.#leave(task)) return
    this.#suspended += 1
    this.#running -= 1
    this.#turn.end()
    this.#pump()
  }

  /** Called when nothing is being built any more but a vertex is waiting. */
  async #rest(): Promise<void> {
    this.#running += 1
    await announceQuestion(this.#run, this.#host.rest?.())
    this.#running -= 1
    if (this.#phase.current === 'running') await this.#finish()
  }

  #watch(): void {
    const { runTimeoutMs } = this.#run.limits
    if (runTimeoutMs === null) return
    this.deadline = this.#startedAt + runTimeoutMs
    deadlinesOf(this.#run.runtime).add(this)
  }

  overdue(): void {
    const ms = this.#run.limits.runTimeoutMs
    this.exceed(limitExceeded('runTimeoutMs', `the run took longer than ${ms} ms`))
  }

  /** Starts as many tasks as there are free slots; the rest waits. */
  #enqueue(tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (this.#queue.isEmpty && this.#hasRoom()) this.#begin(task)
      else this.#queue.add(task)
    }
    this.#pump()
  }

  #hasRoom(): boolean {
    const { concurrency = Number.POSITIVE_INFINITY } = this.#request.options
    if (this.#host.mayStart?.() === false) return false
    return this.#phase.current === 'running' && this.#running < concurrency
  }

  #pump(): void {
    while (!this.#queue.isEmpty && this.#hasRoom()) {
      const task = this.#queue.take()
      if (task !== undefined && this.#scheduler.wants(task)) this.#begin(task)
    }
    if (this.#running > 0 || this.#phase.current !== 'running') return
    if (!this.#queue.isEmpty) this.#host.left?.()
    void (this.#suspended > 0 ? this.#rest() : this.#finish())
  }

  #begin(task: Task): void {
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

  /** Must not throw: its run would wait for ever. */
  #afterWait(task: Task, result: TaskResult, from: number): void {
    try {
      this.#turn.end()
      if (task.open !== undefined) this.#run.reporter?.ended(task.open, result, this.#turn.time)
      this.#succeeded(task, result, from)
      this.#turn.end()
    } catch (error) {
      this.#turn.broken(error)
    }
  }

  #succeeded(task: Task, result: TaskResult, from: number): void {
    if (this.#environment.isResting(task) || !this.#leave(task)) return
    this.#running -= 1
    if (this.#phase.current !== 'running') return
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
    this.#host.built?.({ vertex, result: record, mask: this.#run.secrets.maskJson })
    const inactivated = this.#inactivated.after(task, result)
    const ready = this.#scheduler.finished(task, record)
    const end = new EndVertex({ result: record, vertex, notes, inactivated, ready, at }, this.#run)
    this.#report(end)
    if (result.bytes > SMALL_BYTES) {
      this.#release ??= createValueRelease(this.#request)
      this.#release.built({ task, record, end })
    }
    this.#release?.read(scope, vertex)
    this.#abandon()
    this.#enqueue(ready)
  }

  /** Called when a build has ended; returns false if its pass was abandoned before. */
  #leave({ scope }: Task): boolean {
    if (scope.cancelled) return false
    scope.running -= 1
    return true
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
      if (this.#phase.current === 'running') this.#pump()
    }
    void eventLoopTurn().then(() => this.#turn.report(goOn))
  }

  /** Sends `end_vertex`, unless an earlier process has sent it. */
  #report(end: EndVertex): void {
    if (!wasReported(this.#host, end.result.id, end.result.builds)) this.#run.sendEnd(end)
  }

  async #failed(task: Task, thrown: unknown, from: number): Promise<void> {
    if (task.open !== undefined) this.#run.reporter?.failed(task.open, thrown)
    if (this.#environment.isResting(task) || !this.#leave(task)) return
    if (this.#phase.current !== 'running') {
      this.#running -= 1
      return
    }
    const { vertex } = task
    const { secrets, messages, runtime, limits } = this.#run
    const { error, reason } = vertexFailure(thrown, vertex, secrets.mask)
    this.outcome.failed = true
    this.outcome.error ??= error
    const ends = this.#request.mode === 'run'
    if (ends) this.#stop(error)
    this.#scheduler.failed(task)
    if (!ends) this.#abandon()
    // The message contains the reason only. If the service cannot store it, nothing else changes.
    const text = cutToEvent(reason, limits.eventBytes)
    if (!wasReported(this.#host, vertex.id, this.builds[vertex.index] ?? 1))
      await messages.fail(failureMessage(text, vertex)).catch(() => undefined)
    this.#running -= 1
    if (!ends && this.#phase.current !== 'running') return
    const at = runtime.now().getTime()
    const result = failedRecord(vertex, {
      error,
      builds: this.builds[vertex.index] ?? 1,
      attempts: this.#environment.attemptsOf(task),
      durationMs: Math.max(0, at - from),
    })
    this.outcome.record(result, undefined)
    this.#host.built?.({ vertex, result, mask: secrets.maskJson })
    const inactivated = this.#inactivated.excluded()
    const end = { result, vertex, notes: undefined, inactivated, ready: [], at }
    this.#report(new EndVertex(end, this.#run))
    this.#turn.end()
    if (ends) await this.#finishAfterTurn()
    else this.#pump()
  }

  #stop(reason: FlowError): void {
    this.#phase.current = 'stopping'
    this.#controller.abort(reason)
    for (const scope of this.#scheduler.scopes) scope.stop?.abort(reason)
  }

  /** Components get one turn of the event loop to stop themselves. */
  async #finishAfterTurn(): Promise<void> {
    if (this.#running > 0) await eventLoopTurn()
    await this.#finish()
  }

  /** Returns a promise only if messages have to be written. */
  #finish(): Promise<void> | undefined {
    if (this.#phase.current === 'ended') return undefined
    const atRest = this.#phase.current === 'running'
    this.#phase.current = 'ended'
    if (this.deadline < Number.POSITIVE_INFINITY) deadlinesOf(this.#run.runtime).remove(this)
    if (this.#suspended > 0 && atRest) {
      this.#log.close()
      return this.#settle(true)
    }
    if (atRest) noteStalled(this.outcome, this.#request, this.#scheduler)
    const end = (): void => this.#end()
    return this.#run.hasMessages ? this.#run.messages.settle().then(end, end) : this.#end()
  }

  #end(): undefined {
    const { cancelled, warnings } = this.outcome
    this.#run.send('end', () => (cancelled ? { cancelled } : endJson(warnings)))
    this.#log.close()
    return this.#settle()
  }

  #settle(rests = false): undefined {
    const took = Math.max(0, this.#run.runtime.now().getTime() - this.#startedAt)
    const finished = new FinishedRun(this.outcome, this.#request, this.#run, took)
    reportRunEnd(finished, this.outcome, { run: this.#run, host: this.#host, rests })
    this.#resolve(finished)
    return undefined
  }
}
