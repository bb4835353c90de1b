import { eventLoopTurn, isObject } from '@x/wire'
import { FlowError } from '@x/flow-engine'
import { createWorkBudget, finishCooperatively } from '@x/wire'
import { parseJson } from '@x/wire'
import { prettyJson, toPlain } from '@x/flow-engine/internal'
import { isData, type Data } from '@x/flow-engine'
import { cellOf } from '@x/flow-engine/internal'
import { createDataFrame, isDataFrame, type DataFrame } from '@x/flow-engine'
import { markdownTable } from '@x/flow-engine/internal'
import { isMessage, type Message } from '@x/flow-engine'
import { readText } from '@x/flow-engine/internal'
import { formatCsvTable } from '@x/flow-engine/internal'
import { excelFile, type ExcelCell } from './excel-file.ts'
import { nameOfType } from '@x/flow-engine/internal'
import { checkCells } from '@x/flow-engine/internal'
import { selectColumns } from '../processing/frame-operations.ts'

export type SavableValue = DataFrame | Data | Message

const TABLE_FORMATS = ['csv', 'excel', 'json', 'markdown']
const MESSAGE_FORMATS = ['txt', 'json', 'markdown']

/** @throws TypeError for a value that cannot be saved to a file */
export function savable(value: unknown): SavableValue {
  if (isDataFrame(value) || isData(value) || isMessage(value)) return value
  throw new TypeError(`Unsupported input type: ${nameOfType(value)}`)
}

/**
 * Returns the format in which a value is saved; "" means csv for tables, else json.
 * @throws TypeError for a format that the type of value does not support
 */
export function formatFor(value: SavableValue, wanted: string): string {
  const allowed = isMessage(value) ? MESSAGE_FORMATS : TABLE_FORMATS
  const format = wanted === '' ? (isDataFrame(value) ? 'csv' : 'json') : wanted
  if (allowed.includes(format)) return format
  const list = allowed.map((name) => `'${name}'`).join(', ')
  throw new TypeError(
    `Invalid file format '${format}' for ${nameOfType(value)}. Allowed: [${list}]`,
  )
}

/** Appends the extension of the format if it is missing. */
export function withExtension(name: string, format: string): string {
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  if (format === 'excel') {
    return extension === 'xlsx' || extension === 'xls' ? name : `${name}.xlsx`
  }
  return extension === format ? name : `${name}.${format}`
}

/** Serialises a value as the contents of a file. */
export async function fileContents(value: SavableValue, format: string): Promise<Uint8Array> {
  if (format === 'excel') return excelContents(tableOf(value))
  return encodeText(await textContents(value, format))
}

/** Returns the contents of a file with the value appended. Not for Excel. */
export async function appendedContents(
  value: SavableValue,
  format: string,
  before: Uint8Array,
): Promise<Uint8Array> {
  const text = new TextDecoder().decode(before)
  if (format === 'csv') {
    const rows = await formatCsvTable(tableOf(value), { header: false })
    return encodeText(text === '' || text.endsWith('\n') ? text + rows : `${text}\n${rows}`)
  }
  if (format === 'json') {
    return encodeText(
      asciiJson(JSON.stringify([...parseList(text), ...(await jsonEntries(value))], null, 2)),
    )
  }
  return encodeText(
    `${text}${format === 'txt' ? '\n' : '\n\n'}${await textContents(value, format)}`,
  )
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function textContents(value: SavableValue, format: string): Promise<string> {
  if (isMessage(value)) return messageContents(await readText(value.text), format)
  if (format === 'csv') return formatCsvTable(tableOf(value))
  if (format === 'markdown') return await finishCooperatively(markdownTable(tableOf(value)))
  return isDataFrame(value) ? frameJson(value) : prettyJson(value.data)
}

function messageContents(text: string, format: string): string {
  if (format === 'txt') return text
  if (format === 'markdown') return `**Message:**\n\n${text}`
  return asciiJson(JSON.stringify({ message: text }, null, 2))
}

/** Maximum characters of a table as a JSON file; a flow reads no larger one. */
const MOST_JSON = 32 * 1024 * 1024
/** Characters that cost as much as a cell. */
const CHARACTERS = 100

/**
 * Formats rows without a space after the colon and with escaped slashes, as existing files have them.
 * @throws FlowError `limit_exceeded` for more than 5,000,000 cells, including empty ones
 */
async function frameJson({ rows, columns }: DataFrame): Promise<string> {
  if (rows.length === 0) return '[]'
  checkCells(rows.length, columns.length)
  const names = columns.map((name) => JSON.stringify(name))
  const step = createWorkBudget()
  let characters = 0
  const parts: string[] = []
  for (const row of rows) {
    const cells: string[] = []
    for (const [at, name] of columns.entries()) {
      const cell = `    ${names[at]}:${JSON.stringify(toPlain(cellOf(row, name))) ?? 'null'}`
      characters += cell.length
      if (characters > MOST_JSON) {
        const text = `The table has more than ${MOST_JSON} characters as JSON; save it as csv`
        throw new FlowError('limit_exceeded', text)
      }
      cells.push(cell)
      if (step(1 + cell.length / CHARACTERS)) await eventLoopTurn()
    }
    parts.push(`  {\n${cells.join(',\n')}\n  }`)
  }
  return asciiJson(`[\n${parts.join(',\n')}\n]`).replaceAll('/', '\\/')
}

function asciiJson(json: string): string {
  return json.replaceAll(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Parses a JSON list; an object becomes a list with one item. Text that is not JSON becomes an empty list.
 */
function parseList(text: string): unknown[] {
  try {
    const value: unknown = parseJson(text)
    return Array.isArray(value) ? value : isObject(value) ? [value] : []
  } catch {
    return []
  }
}

async function jsonEntries(value: SavableValue): Promise<readonly unknown[]> {
  if (isDataFrame(value)) return (await selectColumns(value, value.columns)).rows
  if (isData(value)) return [value.data]
  return [{ message: typeof value.text === 'string' ? value.text : '' }]
}

/**
 * Converts a value to a table. Lists in an object become columns; other values are repeated in every row.
 * @throws TypeError if there is no list, or lists differ in length
 */
function tableOf(value: SavableValue): DataFrame {
  if (isDataFrame(value)) return value
  const data = isData(value) ? value.data : {}
  const lists = Object.values(data).filter((column) => Array.isArray(column))
  const [first] = lists
  if (first === undefined) {
    throw new TypeError(
      'If using all scalar values, you must pass an index: only lists become rows',
    )
  }
  if (lists.some((list) => list.length !== first.length)) {
    throw new TypeError('The lists in the data of File Content differ in length')
  }
  const columns = Object.keys(data)
  const rows = first.map((_item, at) =>
    Object.fromEntries(
      Object.entries(data).map(([name, column]) => [
        name,
        Array.isArray(column) ? (column as unknown[])[at] : column,
      ]),
    ),
  )
  return createDataFrame(rows, columns)
}

/** Limits of a worksheet. */
const SHEET = { rows: 1_048_576, columns: 16_384, cells: 200_000, characters: 32_767 }

/** @throws FlowError `limit_exceeded` for a table that a worksheet cannot have, or of more than 200,000 cells */
async function excelContents({ rows, columns }: DataFrame): Promise<Uint8Array> {
  const cells = (rows.length + 1) * columns.length
  if (rows.length >= SHEET.rows || columns.length > SHEET.columns || cells > SHEET.cells) {
    throw new FlowError(
      'limit_exceeded',
      `A table of ${rows.length} rows and ${columns.length} columns is too large for an Excel file ` +
        `(limit ${SHEET.cells} cells, ${SHEET.columns} columns); save it as csv`,
    )
  }
  const header = columns.map((name) => excelText(name, name))
  const body = function* (): Generator<ExcelCell[]> {
    for (const row of rows) yield columns.map((name) => excelCell(cellOf(row, name), name))
  }
  return await excelFile(header, body())
}

function excelText(text: string, column: string): string {
  if (text.length <= SHEET.characters) return text
  throw new FlowError(
    'limit_exceeded',
    `A cell of the column '${column.slice(0, 100)}' has ${text.length} characters; ` +
      `a cell of an Excel file has at most ${SHEET.characters}. Save the table as csv`,
  )
}

function excelCell(cell: unknown, column: string): ExcelCell {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'string') return excelText(cell, column)
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell)
  if (typeof cell === 'boolean') return cell
  if (cell instanceof Date && Number.isFinite(cell.getTime())) return cell
  return excelText(JSON.stringify(toPlain(cell)), column)
}
