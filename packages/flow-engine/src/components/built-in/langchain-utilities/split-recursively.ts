import { mergePieces, splitPieces } from '../processing/split-chunks.ts'

export interface RecursiveSplitOptions {
  /** Characters of a chunk. */
  readonly size: number
  /** Characters of a chunk that may be repeated at the start of the next. */
  readonly overlap: number
  /** Tried in this order; "" cuts between characters. */
  readonly separators: readonly string[]
}

/**
 * Cuts a text at the first separator that occurs in it, keeps the separator at the start of the next
 * piece, and cuts pieces that are still too long at the separators behind it (MO-55).
 * @throws RangeError when size and overlap do not fit together
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
