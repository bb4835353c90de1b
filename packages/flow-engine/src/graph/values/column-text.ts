import { cellOf, type DataFrame } from './data-frame.ts'
import { formatNumber, toLiteralText } from './literal-text.ts'

/** Shared properties of a column's cells, which decide how they are written (CO-6). */
export interface ColumnFacts {
  /** Numbers and gaps only, or truth values only. */
  readonly numeric: boolean
  /** Numbers with fractions or gaps among them: whole ones are written `1.0`, gaps `nan`. */
  readonly fractional: boolean
}

export function columnFacts(frame: DataFrame, column: string): ColumnFacts {
  const cells = frame.rows.map((row) => cellOf(row, column))
  const given = cells.filter((cell) => cell !== null)
  const numbers = given.length > 0 && given.every((cell) => typeof cell === 'number')
  const truths = given.every((cell) => typeof cell === 'boolean') && given.length === cells.length
  return {
    numeric: numbers || truths || given.length === 0,
    fractional: numbers && (given.length < cells.length || !given.every(Number.isInteger)),
  }
}

/** A cell as text among the others of its column. */
export function columnText(cell: unknown, { fractional }: Pick<ColumnFacts, 'fractional'>): string {
  if (!fractional) return toLiteralText(cell)
  if (typeof cell !== 'number') return 'nan'
  const text = formatNumber(cell)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
