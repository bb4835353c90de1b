/** An abort signal created on first use: few components need it, and an AbortController is expensive. */
export class LazySignal {
  #controller: AbortController | undefined
  #aborted = false
  #reason: unknown = undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
