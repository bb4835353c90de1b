const FIRST_SIZE = 64 * 1024
/** When so much of the announced length has come, room is made for the rest. */
const TRUSTED_PART = 8

/** Bytes in one piece of memory that grows with what comes. */
export class GrowingBytes {
  readonly #announced: number
  #bytes = new Uint8Array(0)
  #size = 0

  /** @param announced how many may come; believed when an eighth of them is there */
  constructor(announced: number) {
    this.#announced = announced
  }

  push(piece: Uint8Array): void {
    const size = this.#size + piece.length
    if (size > this.#bytes.length) this.#grow(size)
    this.#bytes.set(piece, this.#size)
    this.#size = size
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const trusted = size * TRUSTED_PART >= this.#announced ? this.#announced : 0
    const length = Math.max(FIRST_SIZE, trusted, size, trusted >= size ? 0 : 2 * this.#size)
    const larger = new Uint8Array(Math.min(length, Math.max(size, this.#announced)))
    larger.set(this.bytes())
    this.#bytes = larger
  }
}
