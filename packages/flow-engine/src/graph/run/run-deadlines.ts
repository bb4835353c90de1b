import type { Runtime } from '@x/wire'
import { eventLoopTurn } from '@x/wire'

/** A run with a deadline. */
export interface Deadline {
  /** Milliseconds on the runtime's clock. */
  readonly deadline: number
  /** Called when the deadline passes. */
  overdue(): void
}

const ALL_OVER = new Error('No run is under way')

/** The deadlines of all runs on one clock. They share one timer, because a deadline is rarely reached. */
class RunDeadlines {
  readonly #runtime: Runtime
  readonly #open = new Set<Deadline>()
  #sleep: { readonly until: number; readonly ended: AbortController } | undefined
  #ending = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  add(run: Deadline): void {
    this.#open.add(run)
    if (this.#sleep === undefined || this.#sleep.until > run.deadline)
      this.#sleepUntil(run.deadline)
  }

  remove(run: Deadline): void {
    this.#open.delete(run)
    if (this.#open.size > 0 || this.#ending) return
    // Usually the next run has started by then and reuses the timer.
    this.#ending = true
    eventLoopTurn()
      .then(() => this.#endIfOver())
      .catch(() => undefined)
  }

  #endIfOver(): void {
    this.#ending = false
    if (this.#open.size > 0) return
    this.#sleep?.ended.abort(ALL_OVER)
    this.#sleep = undefined
  }

  #sleepUntil(until: number): void {
    this.#sleep?.ended.abort(ALL_OVER)
    const sleep = { until, ended: new AbortController() }
    this.#sleep = sleep
    const ms = Math.max(0, until - this.#runtime.now().getTime())
    this.#runtime.sleep(ms, sleep.ended.signal).then(
      () => this.#wake(sleep),
      () => undefined,
    )
  }

  #wake(sleep: object): void {
    if (this.#sleep === sleep) this.#sleep = undefined
    const now = this.#runtime.now().getTime()
    let next: number | undefined
    for (const run of this.#open) {
      if (run.deadline > now) {
        next = Math.min(next ?? run.deadline, run.deadline)
      } else {
        this.#open.delete(run)
        run.overdue()
      }
    }
    if (next !== undefined) this.#sleepUntil(next)
  }
}

const deadlines = new WeakMap<Runtime, RunDeadlines>()

/** The deadlines for a runtime's clock. */
export function deadlinesOf(runtime: Runtime): Pick<RunDeadlines, 'add' | 'remove'> {
  const known = deadlines.get(runtime)
  if (known !== undefined) return known
  const created = new RunDeadlines(runtime)
  deadlines.set(runtime, created)
  return created
}
