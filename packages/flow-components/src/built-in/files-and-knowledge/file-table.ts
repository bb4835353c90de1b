import { eventLoopTurn } from '@x/wire'
import { createInflateBudget } from '../../archive/inflate-budget.ts'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { parseCsvTable } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { workCaller } from '@x/flow-engine/internal'
import { decodeText } from '../../web/decode-text.ts'
import { extensionOf } from '@x/wire'
import { checkCells } from '@x/flow-engine/internal'
import { documentRefusals, MAX_CELLS_HERE } from './document-limits.ts'
import { createSheetInspector } from './sheet-inspector.ts'

type Context = Pick<ComponentContext, 'services' | 'signal' | 'userId'>

/** Tests whether a file contains exactly one table. */
export function isTableFile(path: string): boolean {
  return ['csv', 'xlsx', 'parquet'].includes(extensionOf(path))
}

/**
 * Reads the table in a CSV file or in the first sheet of an Excel file.
 * @throws TypeError for Parquet, which is not supported
 */
export async function fileTable(path: string, bytes: Uint8Array, ctx: Context): Promise<DataFrame> {
  switch (extensionOf(path)) {
    case 'csv':
      return parseCsvTable(await decodeText(bytes))
    case 'xlsx':
      return sheetTable(bytes, ctx)
    case 'parquet':
      throw new TypeError('Parquet files cannot be read; save the table as CSV or Excel')
    default:
      throw new TypeError(`.${extensionOf(path)} files hold no table`)
  }
}

/** Yields to the event loop after this many cells. */
const TURN = 50_000

/** Uses the first row as column names and skips empty rows. */
async function sheetTable(bytes: Uint8Array, ctx: Context): Promise<DataFrame> {
  const { repackZip } = await import('../../archive/repack-zip.ts')
  const inspector = createSheetInspector()
  const inspected = await repackZip(bytes, {
    budget: createInflateBudget(bytes.length),
    // Other entries, such as images, are not parsed by the library.
    wanted: (name) => name.endsWith('.xml') || name.endsWith('.xml.rels'),
    onData: (_name, piece, isLast) => inspector.take(piece, isLast),
  })
  const [header = [], ...body] = await sheetRows(inspected, inspector.most(), ctx)
  checkCells(body.length, header.length)
  const columns = header.map((cell, index) => (isEmpty(cell) ? `Unnamed: ${index}` : text(cell)))
  const each = Math.ceil(TURN / (columns.length + 1))
  const rows: Record<string, unknown>[] = []
  for (const [at, cells] of body.entries()) {
    if (at % each === 0) await eventLoopTurn()
    if (cells.every(isEmpty)) continue
    rows.push(Object.fromEntries(columns.map((name, index) => [name, plain(cells[index] ?? null)])))
  }
  return createDataFrame(rows, columns)
}

/** Reads the rows of the first sheet with the host's reader, or else in this thread. */
async function sheetRows(
  bytes: Uint8Array,
  cells: number,
  ctx: Context,
): Promise<readonly (readonly unknown[])[]> {
  const { documentReader } = ctx.services
  if (documentReader !== undefined) return documentReader.sheet(bytes, workCaller(ctx))
  if (cells > MAX_CELLS_HERE) throw documentRefusals.sheetHere()
  const { readSheet } = await import('read-excel-file/universal')
  return readSheet(new Blob([Uint8Array.from(bytes)]))
}

function isEmpty(cell: unknown): boolean {
  return cell === null || cell === undefined
}

function text(cell: unknown): string {
  return cell instanceof Date ? cell.toISOString() : String(cell)
}

function plain(cell: unknown): unknown {
  return cell instanceof Date ? cell.toISOString() : cell
}
