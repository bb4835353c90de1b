import type { RunEvent } from '@x/flow-engine'
import { FileLinks } from '../files/file-links.ts'
import type { DoorCall } from '../http/door-call.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { addToSurface } from '../parts/door-surfaces.ts'
import { SurfaceSplitter } from '../parts/surface-splitter.ts'
import { TurnTranslator } from '../parts/turn-parts.ts'
import type { TurnPart } from '../parts/turn-part.ts'
import type { Turn } from './turn.ts'

/** The messages of each surface. */
export type SurfaceMessages = Map<string, object[]>

export interface TurnPartReaderOptions {
  readonly parts: Pick<DoorParts, 'fileUrl' | 'surfaces' | 'turns' | 'host'>
  readonly call: DoorCall
  readonly turn: Turn
  /** The surfaces of the turns before, to which those of this turn are added. Default: read when one is shown. */
  readonly earlier?: SurfaceMessages
  /** Surface messages that are wrong are reported once, by the reader that the turn was started for. */
  readonly reports?: boolean
}

/** Reads the events of one turn for a caller: its parts, with addresses for its files and whole surfaces. */
export class TurnPartReader {
  readonly files: FileLinks
  readonly #options: TurnPartReaderOptions
  readonly #translator: TurnTranslator
  readonly #splitter: SurfaceSplitter | undefined
  /** Surfaces of this turn. */
  readonly #shown = new Set<string>()
  #earlier: SurfaceMessages | undefined

  constructor(options: TurnPartReaderOptions) {
    const { parts, call, turn, earlier, reports = false } = options
    this.#options = options
    this.#earlier = earlier
    this.#translator = new TurnTranslator(turn.id)
    this.files = new FileLinks((path) => parts.fileUrl(call, path))
    if (parts.surfaces !== undefined)
      this.#splitter = new SurfaceSplitter(parts.surfaces, (error) => {
        if (reports) parts.host.onError(error)
      })
  }

  async read(events: readonly RunEvent[]): Promise<TurnPart[]> {
    const parts = events.flatMap((event) => this.#translator.read(event))
    const split = this.#splitter
    const shown = split === undefined ? parts : parts.flatMap((part) => split.read(part))
    await this.files.prepare(shown)
    return shown.some(({ kind }) => kind === 'surface') ? await this.#whole(shown) : shown
  }

  /** Before the first messages of a surface come those that it has from earlier turns. */
  async #whole(parts: readonly TurnPart[]): Promise<TurnPart[]> {
    const earlier = (this.#earlier ??= await this.#readEarlier())
    return parts.flatMap((part): TurnPart[] => {
      if (part.kind !== 'surface') return [part]
      const { id, messages } = part
      const before = earlier.get(id) ?? []
      const known = this.#shown.has(id) ? [] : [...before]
      this.#shown.add(id)
      addToSurface(before, messages)
      earlier.set(id, before)
      if (known.length === 0) return [part]
      return [{ kind: 'surface', id, messageId: '', messages: known }, part]
    })
  }

  async #readEarlier(): Promise<SurfaceMessages> {
    const { parts, call, turn } = this.#options
    const { sessionId } = turn.job
    const key = { userId: call.userId, flowId: call.flow.id, chatId: sessionId ?? '' }
    const all = await parts.turns.list(key)
    const before = all.slice(all.findIndex(({ id }) => id === turn.id) + 1).toReversed()
    const earlier: SurfaceMessages = new Map()
    for (const one of before) {
      const reader = new TurnPartReader({ parts, call, turn: one, earlier })
      await reader.read(await parts.turns.log(one.id))
    }
    return earlier
  }
}
