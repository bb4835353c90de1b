export interface ChunkOptions {
  /** Characters of a chunk; a longer piece stays whole. */
  readonly size: number
  /** Characters of a chunk that may be repeated at the start of the next, whole pieces only. */
  readonly overlap: number
  /** Taken literally; "" splits at every character. */
  readonly separator: string
  /** Keeps the separator at this side of the piece, or drops it. */
  readonly keep: false | 'start' | 'end'
}

/** Characters of all chunks of one text: an overlap repeats every character in many of them. */
const MAX_CHARACTERS = 20_000_000

/**
 * Splits a text at a separator and merges the pieces into chunks of at most `size` characters
 * (CO-51). Chunks are stripped; blank ones are left out.
 * @throws RangeError when size and overlap do not fit together
 */
export function splitChunks(text: string, options: ChunkOptions): string[] {
  const { separator, keep } = options
  const pieces = splitPieces(text, separator, keep).filter((piece) => piece !== '')
  return mergePieces(pieces, keep === false ? separator : '', options)
}

/** The pieces between separators; with `keep` each has its separator at one side. */
export function splitPieces(text: string, separator: string, keep: ChunkOptions['keep']): string[] {
  if (separator === '') return Array.from(text)
  const parts = text.split(separator)
  if (keep === false) return parts
  const last = parts.length - 1
  return keep === 'start'
    ? parts.map((part, at) => (at === 0 ? part : separator + part))
    : parts.map((part, at) => (at === last ? part : part + separator))
}

/**
 * Joins pieces to chunks of at most `size` characters; each begins with up to `overlap` characters of
 * the one before, whole pieces only. Chunks are stripped; blank ones are left out.
 * @throws RangeError when size and overlap do not fit together
 */
export function mergePieces(
  pieces: readonly string[],
  glue: string,
  { size, overlap }: Pick<ChunkOptions, 'size' | 'overlap'>,
): string[] {
  if (size <= 0) throw new RangeError(`chunk_size must be > 0, got ${size}`)
  if (overlap < 0) throw new RangeError(`chunk_overlap must be >= 0, got ${overlap}`)
  if (overlap > size) {
    throw new RangeError(
      `Got a larger chunk overlap (${overlap}) than chunk size (${size}), should be smaller.`,
    )
  }
  const chunks: string[] = []
  const glueLength = lengthOf(glue)
  const lengths = pieces.map(lengthOf)
  let first = 0
  let total = 0
  let made = 0
  const close = (end: number): void => {
    const chunk = pieces.slice(first, end).join(glue).trim()
    made += chunk.length
    if (made > MAX_CHARACTERS) {
      throw new RangeError(
        `The chunks have over ${MAX_CHARACTERS} characters in all; choose a smaller chunk_overlap.`,
      )
    }
    if (chunk !== '') chunks.push(chunk)
  }
  for (const [at, length] of lengths.entries()) {
    const grown = (): number => total + length + (at > first ? glueLength : 0)
    if (grown() > size && at > first) {
      close(at)
      while (total > overlap || (grown() > size && total > 0)) {
        total -= (lengths[first] ?? 0) + (at - first > 1 ? glueLength : 0)
        first += 1
      }
    }
    total += length + (at > first ? glueLength : 0)
  }
  close(pieces.length)
  return chunks
}

/** Characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
