import type { Runtime } from '@x/wire'
import { deadlinesOf, type Deadline } from './run-deadlines.ts'

export interface RunEndingOptions {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  /** Maximum duration of the run, in milliseconds. Default: none. */
  readonly timeoutMs?: number | undefined
  readonly runtime: Runtime
}

/**
 * Shared: without a reason, every abort creates an error with a stack trace, which costs more than the abort.
 */
const OVER = new Error('The run is no longer wanted')

/** Aborts a run when its caller disconnects or its time is up. */
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

  /** The signal to pass to the run. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True if the time was up before the run finished. */
  get isLate(): boolean {
    return this.#isLate
  }

  overdue(): void {
    this.#isLate = true
    this.#controller.abort(OVER)
  }

  /** Aborts the run. */
  abort(): void {
    this.#controller.abort(OVER)
  }

  /** Called when the run is over; its signal no longer changes. */
  close(): void {
    this.#caller.removeEventListener('abort', this.#stop)
    if (this.deadline !== Infinity) deadlinesOf(this.#runtime).remove(this)
  }
}
