import { eventLoopTurn } from '@x/wire'
import { Zip, ZipDeflate } from 'fflate'
import { joinBytes } from '@x/wire'

/** The content of a cell of a workbook; null if it is empty. */
export type ExcelCell = string | number | boolean | Date | null

/** Characters of a sheet that are encoded and packed at once. */
const CHARACTERS = 256 * 1024

/**
 * A workbook of one sheet, whose first row is bold. Yields to the event loop while writing: a library would
 * hold the event loop for half a second and more.
 */
export async function excelFile(
  header: readonly string[],
  rows: Iterable<readonly ExcelCell[]>,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    pieces.push(piece)
  })
  const encoder = new TextEncoder()
  for (const [name, xml] of Object.entries(PARTS)) {
    const entry = new ZipDeflate(name)
    zip.add(entry)
    entry.push(encoder.encode(`${XML}${xml}`), true)
  }
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml', { level: 4 })
  zip.add(sheet)
  let text = `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rowXml(header, 1, BOLD)}`
  let number = 1
  for (const row of rows) {
    number += 1
    text += rowXml(row, number)
    if (text.length < CHARACTERS) continue
    sheet.push(encoder.encode(text))
    text = ''
    await eventLoopTurn()
  }
  sheet.push(encoder.encode(`${text}</sheetData></worksheet>`), true)
  zip.end()
  return joinBytes(pieces)
}

const BOLD = 1
const DATE = 2
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const relations = (...targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEETS}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEETS}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEETS}.styles+xml"/></Types>`,
  '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relations(
    ['worksheet', 'worksheets/sheet1.xml'],
    ['styles', 'styles.xml'],
  ),
  // Cells without a style, bold ones, and days with their time (format 22).
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
}

function rowXml(cells: readonly ExcelCell[], row: number, style = 0): string {
  const texts = cells.map((cell, column) => cellXml(cell, `${letters(column)}${row}`, style))
  return `<row r="${row}">${texts.join('')}</row>`
}

function cellXml(cell: ExcelCell, place: string, style: number): string {
  if (cell === null) return ''
  const start = `<c r="${place}"${style === 0 ? '' : ` s="${style}"`}`
  if (typeof cell === 'number') return `${start}><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `${start} t="b"><v>${Number(cell)}</v></c>`
  if (cell instanceof Date) return `<c r="${place}" s="${DATE}"><v>${daysOf(cell)}</v></c>`
  return `${start} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`
}

/** Days since the end of 1899, as Excel counts them. */
function daysOf(date: Date): number {
  return date.getTime() / 86_400_000 + 25_569
}

function letters(column: number): string {
  const rest = column % 26
  const last = String.fromCharCode(65 + rest)
  return column < 26 ? last : `${letters((column - rest) / 26 - 1)}${last}`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
// oxlint-disable-next-line no-control-regex -- XML has no such characters
const UNWRITABLE = /[&<>\u0000-\u0008\u000B\u000C\u000D-\u001F\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/g

/** Characters that XML does not have are written as Excel does: `_x0007_`. */
function escapeXml(text: string): string {
  return text.replace(UNWRITABLE, (one) => ENTITIES[one] ?? `_x${hex(one)}_`)
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}
