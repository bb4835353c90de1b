import { append } from '@x/wire'
import type { DoorSurfacePiece, DoorSurfaces } from './door-surfaces.ts'
import type { TurnPart } from './turn-part.ts'

type SurfacePart = Extract<TurnPart, { kind: 'surface' }>

interface Text {
  readonly reader: ReturnType<DoorSurfaces['reader']>
  /** The text that is open; each stretch between surfaces is one. */
  id: string | undefined
  stretches: number
}

/** Takes the surfaces out of the parts of a turn: what is left of a text stays text. */
export class SurfaceSplitter {
  readonly #surfaces: DoorSurfaces
  readonly #report: (error: Error) => void
  readonly #texts = new Map<string, Text>()
  /** JSON of the messages that each block has shown. */
  readonly #blocks = new Map<string, readonly string[]>()

  /** @param report called with messages that are wrong */
  constructor(surfaces: DoorSurfaces, report: (error: Error) => void) {
    this.#surfaces = surfaces
    this.#report = report
  }

  read(part: TurnPart): TurnPart[] {
    switch (part.kind) {
      case 'text-start':
        this.#texts.set(part.id, {
          reader: this.#surfaces.reader(),
          id: undefined,
          stretches: 0,
        })
        return []
      case 'text': {
        const text = this.#texts.get(part.id)
        return text === undefined ? [part] : this.#shown(part.id, text, text.reader.push(part.text))
      }
      case 'text-end': {
        const text = this.#texts.get(part.id)
        if (text === undefined) return [part]
        this.#texts.delete(part.id)
        return [...this.#shown(part.id, text, text.reader.end()), ...close(text)]
      }
      case 'result': {
        const pieces = this.#surfaces.operations(part.output)
        if (pieces === null) return [part]
        const parts = this.#messages(pieces, part.id)
        const surfaces = [...new Set(parts.map(({ id }) => id))]
        return [{ ...part, output: { surfaces } }, ...parts]
      }
      case 'block': {
        const { type, data } = part.block
        const pieces = type === 'json' ? this.#surfaces.operations(data) : null
        if (pieces === null) return [part]
        const known = this.#blocks.get(part.id) ?? []
        const all = pieces.map((piece) => JSON.stringify(piece))
        this.#blocks.set(part.id, all)
        const grows = known.every((one, n) => one === all[n])
        const messageId = part.id.slice(0, part.id.lastIndexOf(':'))
        return this.#messages(grows ? pieces.slice(known.length) : pieces, messageId)
      }
      case 'withdrawn':
        this.#texts.delete(part.messageId)
        for (const id of this.#blocks.keys())
          if (id.startsWith(`${part.messageId}:`)) this.#blocks.delete(id)
        return [part]
      default:
        return [part]
    }
  }

  /** A text and the surfaces in it, in their order. */
  #shown(messageId: string, text: Text, pieces: readonly DoorSurfacePiece[]): TurnPart[] {
    const parts: TurnPart[] = []
    for (const piece of pieces) {
      if (piece.kind === 'text') {
        if (text.id === undefined) {
          text.stretches += 1
          text.id = text.stretches === 1 ? messageId : `${messageId}:text-${text.stretches}`
          parts.push({ kind: 'text-start', id: text.id, messageId })
        }
        parts.push({ kind: 'text', id: text.id, text: piece.text })
        continue
      }
      append(parts, close(text))
      const [found] = this.#messages([piece], messageId)
      const last = parts.at(-1)
      if (found !== undefined && last?.kind === 'surface' && last.id === found.id)
        parts[parts.length - 1] = { ...last, messages: [...last.messages, ...found.messages] }
      else if (found !== undefined) parts.push(found)
    }
    return parts
  }

  /** One part for each surface. */
  #messages(pieces: readonly DoorSurfacePiece[], messageId: string): SurfacePart[] {
    const found = new Map<string, object[]>()
    for (const piece of pieces) {
      if (piece.kind === 'error') this.#report(piece.error)
      if (piece.kind !== 'message') continue
      const list = found.get(piece.surfaceId)
      if (list === undefined) found.set(piece.surfaceId, [piece.message])
      else list.push(piece.message)
    }
    return [...found].map(([id, messages]) => ({ kind: 'surface', id, messageId, messages }))
  }
}

function close(text: Text): TurnPart[] {
  const { id } = text
  text.id = undefined
  return id === undefined ? [] : [{ kind: 'text-end', id }]
}
