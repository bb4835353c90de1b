import { createInflateBudget } from '../../../archive/inflate-budget.ts'
import { createDataFrame, type DataFrame } from '../../../graph/values/data-frame.ts'
import { parseCsvTable } from '../../values/csv-table.ts'
import { extensionOf } from '../../web/mime-type.ts'

/** Whether a file holds one table. */
export function isTableFile(path: string): boolean {
  return ['csv', 'xlsx', 'parquet'].includes(extensionOf(path))
}

/**
 * The table in a file: CSV, or the first sheet of an Excel file.
 * @throws TypeError for Parquet, which nothing here reads
 */
export async function fileTable(path: string, bytes: Uint8Array): Promise<DataFrame> {
  switch (extensionOf(path)) {
    case 'csv':
      return parseCsvTable(new TextDecoder().decode(bytes))
    case 'xlsx':
      return sheetTable(bytes)
    case 'parquet':
      throw new TypeError('Parquet files cannot be read; save the table as CSV or Excel')
    default:
      throw new TypeError(`.${extensionOf(path)} files hold no table`)
  }
}

/** The first row names the columns; rows of empty cells are left out. */
async function sheetTable(bytes: Uint8Array): Promise<DataFrame> {
  const [{ readSheet }, { checkZip }] = await Promise.all([
    import('read-excel-file/universal'),
    import('../../../archive/read-zip.ts'),
  ])
  checkZip(bytes, () => createInflateBudget(bytes.length))
  const [header = [], ...body] = await readSheet(new Blob([Uint8Array.from(bytes)]))
  const columns = header.map((cell, index) =>
    cell === null || cell === undefined ? `Unnamed: ${index}` : text(cell),
  )
  const rows = body
    .filter((cells) => cells.some((cell) => cell !== null && cell !== undefined))
    .map((cells) =>
      Object.fromEntries(columns.map((name, index) => [name, plain(cells[index] ?? null)])),
    )
  return createDataFrame(rows, columns)
}

function text(cell: unknown): string {
  return cell instanceof Date ? cell.toISOString() : String(cell)
}

function plain(cell: unknown): unknown {
  return cell instanceof Date ? cell.toISOString() : cell
}
