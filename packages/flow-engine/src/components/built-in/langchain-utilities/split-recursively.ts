import { mergePieces, splitPieces } from '../processing/split-chunks.ts'

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
 * and splits pieces that are still too long at the remaining separators (MO-55).
 * @throws RangeError for an invalid combination of size and overlap
 */
export function splitRecursively(text: string, options: RecursiveSplitOptions): string[] {
  const { separators } = options
  const at = separators.findIndex((each) => each === '' || text.includes(each))
  const separator = separators[at] ?? separators.at(-1) ?? ''
  const further = at === -1 ? [] : separators.slice(at + 1)
  const chunks: string[] = []
  let small: string[] = []
  const merge = (): void => {
    if (small.length > 0) chunks.push(...mergePieces(small, '', options))
    small = []
  }
  for (const piece of splitPieces(text, separator, 'start')) {
    if (piece === '') continue
    if (piece.length < options.size) {
      small.push(piece)
      continue
    }
    merge()
    if (further.length === 0) chunks.push(...mergePieces([piece], '', options))
    else chunks.push(...splitRecursively(piece, { ...options, separators: further }))
  }
  merge()
  return chunks
}
