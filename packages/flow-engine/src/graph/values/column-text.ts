import { cellOf, type DataFrame } from './data-frame.ts'
import { formatNumber, toLiteralText } from './literal-text.ts'

/** Properties of a column that decide how its cells are formatted. */
export interface ColumnMetadata {
  /** Only numbers and gaps, or only booleans. */
  readonly numeric: boolean
  /** Numbers that include fractions or gaps: integers are written `1.0`, gaps `nan`. */
  readonly fractional: boolean
}

export function columnMetadata(frame: DataFrame, column: string): ColumnMetadata {
  const cells = frame.rows.map((row) => cellOf(row, column))
  const given = cells.filter((cell) => cell !== null)
  const numbers = given.length > 0 && given.every((cell) => typeof cell === 'number')
  const truths = given.every((cell) => typeof cell === 'boolean') && given.length === cells.length
  return {
    numeric: numbers || truths || given.length === 0,
    fractional: numbers && (given.length < cells.length || !given.every(Number.isInteger)),
  }
}

/** Formats a cell consistently with its column. */
export function columnText(
  cell: unknown,
  { fractional }: Pick<ColumnMetadata, 'fractional'>,
): string {
  if (!fractional) return toLiteralText(cell)
  if (typeof cell !== 'number') return 'nan'
  const text = formatNumber(cell)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
