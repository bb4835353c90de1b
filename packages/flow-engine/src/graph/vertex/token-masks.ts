import type { RunContext } from '../context/run-context.ts'
import { checkEventSize, fitsWithoutMeasuring } from '../events/event-size.ts'
import { TokenData } from '../events/run-event.ts'
import type { StreamMask } from '../events/secrets.ts'

/** Sends the tokens of a vertex, or what its model thinks, with secrets masked; text that may be the start of a secret is held back. */
export class TokenMasks {
  readonly #run: RunContext
  readonly #vertexId: string
  readonly #event: 'token' | 'reasoning'
  readonly #masks = new Map<string, StreamMask>()
  /** The mask used last: most vertices stream one message. */
  #current: { readonly id: string; readonly mask: StreamMask } | undefined

  constructor(run: RunContext, vertexId: string, event: 'token' | 'reasoning' = 'token') {
    this.#run = run
    this.#event = event
    this.#vertexId = vertexId
  }

  push(chunk: string, messageId: string): void {
    if (this.#current?.id !== messageId)
      this.#current = { id: messageId, mask: this.#of(messageId) }
    this.#send(this.#current.mask.push(chunk), messageId)
  }

  #of(messageId: string): StreamMask {
    const known = this.#masks.get(messageId)
    if (known !== undefined) return known
    const mask = this.#run.secrets.stream()
    this.#masks.set(messageId, mask)
    return mask
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
    const data = new TokenData(chunk, id)
    if (!fitsWithoutMeasuring(chunk.length, eventBytes)) checkEventSize('a token', data, eventBytes)
    if (this.#event === 'token') this.#run.sendToken(data, this.#vertexId)
    else this.#run.send('reasoning', () => data, this.#vertexId)
  }
}
