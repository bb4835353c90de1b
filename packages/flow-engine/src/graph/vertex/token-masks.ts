import type { RunContext } from '../context/run-context.ts'
import { checkEventSize, certainlyFits } from '../events/event-size.ts'
import type { StreamMask } from '../events/secrets.ts'

/** Sends the tokens of a vertex with secrets masked; text that may be the start of a secret is held back. */
export class TokenMasks {
  readonly #run: RunContext
  readonly #vertexId: string
  readonly #masks = new Map<string, StreamMask>()

  constructor(run: RunContext, vertexId: string) {
    this.#run = run
    this.#vertexId = vertexId
  }

  push(chunk: string, messageId: string): void {
    let mask = this.#masks.get(messageId)
    if (mask === undefined) {
      mask = this.#run.secrets.stream()
      this.#masks.set(messageId, mask)
    }
    this.#send(mask.push(chunk), messageId)
  }

  /** Sends the text that was held back for a message. */
  end(messageId: string): void {
    const rest = this.#masks.get(messageId)?.end()
    if (rest !== undefined) this.#send(rest, messageId)
  }

  /** Sends the text that was held back for any message. */
  endAll(): void {
    for (const id of this.#masks.keys()) this.end(id)
  }

  #send(chunk: string, id: string): void {
    if (chunk === '') return
    const { eventBytes } = this.#run.limits
    if (!certainlyFits(chunk.length, eventBytes))
      checkEventSize('a token', { chunk, id }, eventBytes)
    this.#run.sendToken({ chunk, id, vertexId: this.#vertexId })
  }
}
