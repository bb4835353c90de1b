/** A position in a model's whole text. */
export interface Place {
  /** Characters before it. */
  readonly offset: number
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** Follows positions in a text of which only the end is kept; they may only grow. */
export class PlaceTracker {
  #offset: number
  #line: number
  #column: number

  constructor({ offset, line, column }: Place = { offset: 0, line: 1, column: 1 }) {
    this.#offset = offset
    this.#line = line
    this.#column = column
  }

  get place(): Place {
    return { offset: this.#offset, line: this.#line, column: this.#column }
  }

  /** Moves behind a piece of the text, from `from` to `to`. */
  advance(text: string, from = 0, to = text.length): void {
    const piece = text.slice(from, to)
    this.#offset += piece.length
    let lineAt = -1
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) {
      this.#line += 1
      lineAt = at
    }
    this.#column = lineAt === -1 ? this.#column + piece.length : piece.length - lineAt
  }
}
