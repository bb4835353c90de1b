import { FlowError } from '../../errors.ts'

/** Maximum number of cells of a table, including empty ones. */
export const MAX_CELLS = 5_000_000

/** @throws FlowError `limit_exceeded` for a table of more than 5,000,000 cells */
export function checkCells(rows: number, columns: number): void {
  if (rows * columns <= MAX_CELLS) return
  const text = `The table has more than ${MAX_CELLS} cells: ${rows} rows of ${columns} columns`
  throw new FlowError('limit_exceeded', text)
}
