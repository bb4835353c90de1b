import { PlaceTracker, type Place } from './text-place.ts'

/** Characters that a partial closing tag may have. */
export const MAX_CLOSE = 40

/** A stretch of a text. */
export interface Stretch {
  readonly index: number
  readonly length: number
}

/** The part of a block's text that is kept, the places in it, and the tag that closes it. */
export class BlockText {
  readonly #places: PlaceTracker
  readonly #close: RegExp | null
  #kept = ''
  /** Position that the tracker stands at. */
  #tracked = 0
  #tag: Stretch | null = null
  /** Up to here a tag was looked for. */
  #searched = 0

  constructor(start: Place, close: RegExp | null) {
    this.#places = new PlaceTracker(start)
    this.#close = close === null ? null : new RegExp(close.source, close.flags.replace('y', 'g'))
  }

  get kept(): string {
    return this.#kept
  }

  add(piece: string): void {
    this.#kept += piece
  }

  /** Drops what stands before a position, which becomes 0. */
  dropBefore(at: number): void {
    this.placeAt(at)
    this.#kept = this.#kept.slice(at)
    this.#tracked = 0
    this.#searched = Math.max(0, this.#searched - at)
    if (this.#tag !== null) this.#tag = { ...this.#tag, index: this.#tag.index - at }
  }

  /** The place of a position; positions may only grow. */
  placeAt(at: number): Place {
    if (at > this.#tracked) {
      this.#places.advance(this.#kept, this.#tracked, at)
      this.#tracked = at
    }
    return this.#places.place
  }

  /** The first closing tag from a position on; the text is searched once. */
  closing(from: number): Stretch | null {
    const known = this.#tag
    if (known !== null && known.index >= from) return known
    const pattern = this.#close
    if (pattern === null) return null
    pattern.lastIndex = Math.max(from, this.#searched)
    const found = pattern.exec(this.#kept)
    this.#searched = found === null ? Math.max(0, this.#kept.length - MAX_CLOSE) : found.index
    this.#tag = found === null ? null : { index: found.index, length: found[0].length }
    return this.#tag
  }
}
