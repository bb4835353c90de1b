import { mergePieces, splitPieces, type SplitWork } from '../processing/split-chunks.ts'

export interface RecursiveSplitOptions {
  /** Maximum characters of a chunk. */
  readonly size: number
  /** Maximum characters of a chunk that are repeated at the start of the next. */
  readonly overlap: number
  /** Tried in this order; "" splits between characters. */
  readonly separators: readonly string[]
}

/**
 * Splits text at the first separator that occurs in it, keeps the separator at the start of the next piece,
 * and splits pieces that are still too long at the remaining separators.
 * @throws RangeError for an invalid combination of size and overlap, and over the limits of the work
 */
export async function splitRecursively(
  text: string,
  options: RecursiveSplitOptions,
  work: SplitWork,
): Promise<string[]> {
  const { separators } = options
  const at = separators.findIndex((each) => each === '' || text.includes(each))
  const separator = separators[at] ?? separators.at(-1) ?? ''
  const further = at === -1 ? [] : separators.slice(at + 1)
  const chunks: string[] = []
  const add = (more: readonly string[]): void => {
    // A loop, because there are more than a call has arguments.
    for (const chunk of more) chunks.push(chunk)
  }
  const join = (pieces: readonly string[]) => mergePieces(pieces, '', { ...options, work })
  let small: string[] = []
  for (const piece of await splitPieces(text, separator, { keep: 'start', work })) {
    if (piece.length < options.size) {
      small.push(piece)
      continue
    }
    if (small.length > 0) add(await join(small))
    small = []
    if (further.length === 0) add(await join([piece]))
    else add(await splitRecursively(piece, { ...options, separators: further }, work))
  }
  if (small.length > 0) add(await join(small))
  return chunks
}
