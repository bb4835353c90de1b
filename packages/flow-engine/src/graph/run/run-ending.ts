import type { Runtime } from '@x/wire'
import { deadlinesOf, type Deadline } from './run-deadlines.ts'

export interface RunEndingOptions {
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Longest time of the run, in milliseconds; default none. */
  readonly timeoutMs?: number | undefined
  readonly runtime: Runtime
}

/** Without a reason of its own, each abort makes an error with a stack, which costs more than the abort. */
const OVER = new Error('The run is no longer wanted')

/** Ends a run when its caller leaves or the time is up. */
export class RunEnding implements Deadline {
  readonly deadline: number
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #runtime: Runtime
  readonly #stop = (): void => this.#controller.abort(this.#caller.reason)
  #isLate = false

  constructor({ signal, timeoutMs, runtime }: RunEndingOptions) {
    this.#caller = signal
    this.#runtime = runtime
    this.deadline = timeoutMs === undefined ? Infinity : runtime.now().getTime() + timeoutMs
    if (signal.aborted) this.#stop()
    else signal.addEventListener('abort', this.#stop)
    if (this.deadline !== Infinity) deadlinesOf(runtime).add(this)
  }

  /** The signal for the run. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True if the time was up before the run was over. */
  get isLate(): boolean {
    return this.#isLate
  }

  overdue(): void {
    this.#isLate = true
    this.#controller.abort(OVER)
  }

  /** Ends the run. */
  abort(): void {
    this.#controller.abort(OVER)
  }

  /** The run is over: its signal stays as it is. */
  close(): void {
    this.#caller.removeEventListener('abort', this.#stop)
    if (this.deadline !== Infinity) deadlinesOf(this.#runtime).remove(this)
  }
}
