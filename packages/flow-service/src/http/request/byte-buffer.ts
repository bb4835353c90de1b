const FIRST_SIZE = 64 * 1024
/** Space for the whole announced length is allocated once this fraction of it has arrived. */
const TRUSTED_PART = 8

/** Bytes in a contiguous buffer that grows as they arrive. */
export class ByteBuffer {
  readonly #announced: number
  #bytes = new Uint8Array(0)
  #size = 0

  /** @param announced expected length; trusted once an eighth of it has arrived */
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
