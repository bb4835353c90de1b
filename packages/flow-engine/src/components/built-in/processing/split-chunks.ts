export interface ChunkOptions {
  /** Maximum characters of a chunk; a longer piece is not split. */
  readonly size: number
  /** Maximum characters repeated at the start of the next chunk, whole pieces only. */
  readonly overlap: number
  /** Taken literally; "" splits at every character. */
  readonly separator: string
  /** The side of the piece at which the separator is kept, or false to drop it. */
  readonly keep: false | 'start' | 'end'
}

/** Maximum total characters of the chunks of a text, because an overlap repeats characters. */
const MAX_CHARACTERS = 20_000_000

/**
 * Splits text at a separator and merges the pieces into chunks of at most `size` characters (CO-51). Chunks
 * are trimmed; blank ones are dropped.
 * @throws RangeError for an invalid combination of size and overlap
 */
export function splitChunks(text: string, options: ChunkOptions): string[] {
  const { separator, keep } = options
  const pieces = splitPieces(text, separator, keep).filter((piece) => piece !== '')
  return mergePieces(pieces, keep === false ? separator : '', options)
}

/** Splits text at a separator; with `keep`, each piece keeps its separator at one side. */
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
 * Joins pieces to chunks of at most `size` characters. Each chunk starts with up to `overlap` characters of
 * the previous one, whole pieces only. Chunks are trimmed; blank ones are dropped.
 * @throws RangeError for an invalid combination of size and overlap
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
        `The chunks have more than ${MAX_CHARACTERS} characters in total; use a smaller chunk_overlap.`,
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

/** Counts characters, not UTF-16 code units. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
