/** Initial size of the buffer for a body in several chunks. */
const FIRST_SIZE = 4096

/**
 * Joins the chunks of a body using at most three times its size, however small they are. Chunks are
 * copied, because even a one-byte chunk retains the whole socket read it came from.
 */
export class ByteCollector {
  #bytes: Uint8Array = new Uint8Array(0)
  #size = 0
  /** True if `#bytes` is a chunk as received, still owned by its stream. */
  #isBorrowed = true

  push(chunk: Uint8Array): void {
    if (this.#size === 0) {
      this.#bytes = chunk
      this.#isBorrowed = true
    } else {
      this.#reserve(this.#size + chunk.length)
      this.#bytes.set(chunk, this.#size)
    }
    this.#size += chunk.length
  }

  /** The bytes so far; the original chunk if there was only one. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #reserve(size: number): void {
    if (!this.#isBorrowed && size <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(FIRST_SIZE, size, 2 * this.#size))
    grown.set(this.bytes())
    this.#bytes = grown
    this.#isBorrowed = false
  }
}
