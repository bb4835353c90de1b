import { isSuspendedError, type SuspendedError } from '../../errors.ts'

/** Concurrent calls of one build: if one suspends, the others finish first. */
export class ConcurrentCalls {
  readonly #rest: (reason: SuspendedError) => Promise<void>
  #running = 0
  #reason: SuspendedError | undefined
  #rested: (() => void)[] = []

  constructor(rest: (reason: SuspendedError) => Promise<void>) {
    this.#rest = rest
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1
    try {
      return await work()
    } catch (error) {
      if (isSuspendedError(error)) this.#reason ??= error
      throw error
    } finally {
      this.#running -= 1
      if (this.#reason !== undefined) await this.#untilRest(this.#reason)
    }
  }

  /** Holds back the result of a call, so that nothing follows from it before the build is suspended. */
  async #untilRest(reason: SuspendedError): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => this.#rested.push(resolve))
      return
    }
    await this.#rest(reason)
    for (const resolve of this.#rested.splice(0)) resolve()
  }
}
