import { eventLoopTurn } from '@x/wire'
import { createWorkBudget } from '@x/wire'

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

/** Maximum total characters of the chunks of a split, because an overlap repeats characters. */
const MAX_CHARACTERS = 20_000_000
/** Maximum number of chunks of a split. */
const MAX_CHUNKS = 1_000_000
/** Maximum number of values that the chunks of a split repeat. */
const MAX_REPEATED = 10_000_000

/** Limits the work of one split over all its texts, and decides when to yield to the event loop. */
export class SplitWork {
  /** Counts pieces; true when it is time to yield. */
  readonly step = createWorkBudget()
  #characters = 0
  #chunks = 0
  #repeated = 0

  /** @throws RangeError for too many chunks, or too many characters in them, blanks included */
  add(chunk: string): void {
    this.#characters += chunk.length
    this.#chunks += 1
    if (this.#characters > MAX_CHARACTERS) {
      throw new RangeError(
        `The chunks have more than ${MAX_CHARACTERS} characters in total; use a smaller chunk_overlap.`,
      )
    }
    if (this.#chunks > MAX_CHUNKS) {
      throw new RangeError(`There are more than ${MAX_CHUNKS} chunks; use a larger chunk_size.`)
    }
  }

  /**
   * Counts the other values of a source, which each of its chunks keeps; true when it is time to yield.
   * @throws RangeError for too many
   */
  repeat(values: number): boolean {
    this.#repeated += values
    if (this.#repeated > MAX_REPEATED)
      throw new RangeError(`The chunks repeat more than ${MAX_REPEATED} values of their sources.`)
    return this.step(values + 1)
  }
}

/**
 * Splits text at a separator and merges the pieces into chunks of at most `size` characters. Chunks
 * are trimmed; blank ones are dropped.
 * @throws RangeError for an invalid combination of size and overlap, and over the limits of the work
 */
export async function splitChunks(
  text: string,
  options: ChunkOptions,
  work: SplitWork,
): Promise<string[]> {
  const { separator, keep } = options
  const pieces = await splitPieces(text, separator, { keep, work })
  return await mergePieces(pieces, keep === false ? separator : '', { ...options, work })
}

/** Splits text at a separator; with `keep`, each piece keeps its separator at one side. No piece is empty. */
export async function splitPieces(
  text: string,
  separator: string,
  { keep, work }: { readonly keep: ChunkOptions['keep']; readonly work: SplitWork },
): Promise<string[]> {
  const pieces: string[] = []
  if (separator === '') {
    for (const character of text) {
      pieces.push(character)
      if (work.step(1)) await eventLoopTurn()
    }
    return pieces
  }
  const parts = text.split(separator)
  const last = parts.length - 1
  for (const [at, part] of parts.entries()) {
    if (work.step(1)) await eventLoopTurn()
    const before = keep === 'start' && at > 0 ? separator : ''
    const piece = `${before}${part}${keep === 'end' && at < last ? separator : ''}`
    if (piece !== '') pieces.push(piece)
  }
  return pieces
}

interface MergeOptions extends Pick<ChunkOptions, 'size' | 'overlap'> {
  readonly work: SplitWork
}

/**
 * Joins pieces to chunks of at most `size` characters. Each chunk starts with up to `overlap` characters of
 * the previous one, whole pieces only. Chunks are trimmed; blank ones are dropped.
 * @throws RangeError for an invalid combination of size and overlap, and over the limits of the work
 */
export async function mergePieces(
  pieces: readonly string[],
  glue: string,
  { size, overlap, work }: MergeOptions,
): Promise<string[]> {
  checkSizes(size, overlap)
  const chunks: string[] = []
  // Without a second piece a long separator occurs in no text, whatever its length.
  const glueLength = pieces.length > 1 ? lengthOf(glue) : 0
  const lengths: number[] = []
  let first = 0
  let total = 0
  const close = (end: number): void => {
    const chunk = pieces.slice(first, end).join(glue)
    work.add(chunk)
    const trimmed = chunk.trim()
    if (trimmed !== '') chunks.push(trimmed)
  }
  for (const [at, piece] of pieces.entries()) {
    if (work.step(1 + piece.length / CHARACTERS)) await eventLoopTurn()
    const length = lengthOf(piece)
    lengths.push(length)
    const grown = (): number => total + length + (at > first ? glueLength : 0)
    if (grown() > size && at > first) {
      close(at)
      if (work.step((at - first) / CHARACTERS)) await eventLoopTurn()
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

/** Characters of a piece that cost as much as another piece. */
const CHARACTERS = 20

function checkSizes(size: number, overlap: number): void {
  if (size <= 0) throw new RangeError(`chunk_size must be > 0, got ${size}`)
  if (overlap < 0) throw new RangeError(`chunk_overlap must be >= 0, got ${overlap}`)
  if (overlap <= size) return
  throw new RangeError(
    `Got a larger chunk overlap (${overlap}) than chunk size (${size}), should be smaller.`,
  )
}

/** Counts characters, not UTF-16 code units. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
