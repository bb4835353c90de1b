import { checkCells } from '@x/flow-engine/internal'

/** Maximum number of characters of a tag with its text. */
const MAX_TAG_LENGTH = 1_000_000
/** Maximum number of characters of a number format, as in Excel. */
const MAX_FORMAT_LENGTH = 255

const PLACED = /<(?:[\w.-]+:)?(?:row|c)(?=[\s/>])([^<]*)/g
const PLACE = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const FORMAT = new RegExp(
  `formatCode\\s*=\\s*(?:"[^"]{${MAX_FORMAT_LENGTH + 1}}|'[^']{${MAX_FORMAT_LENGTH + 1}})`,
)

/** Inspects the parts of a workbook before a library builds its cells. */
export interface SheetInspector {
  /** Receives an archive entry in pieces. @throws FlowError, TypeError */
  take(piece: Uint8Array, isLast: boolean): void
  /** Returns the largest table size so far, rows times columns. */
  most(): number
}

/**
 * Creates an inspector. Cells are stored with their positions: two distant cells make a table of all cells between
 * them, so a file of one kilobyte could exhaust memory. Number formats longer than Excel's limit are refused,
 * because parsing them takes quadratic time.
 */
export function createSheetInspector(): SheetInspector {
  let decoder = new TextDecoder()
  let kept = ''
  let rows = 0
  let columns = 0
  let most = 0
  return {
    most: () => most,
    take(piece, isLast) {
      const text = kept + decoder.decode(piece, { stream: !isLast })
      const end = isLast ? text.length : Math.max(0, text.lastIndexOf('<'))
      if (text.length - end > MAX_TAG_LENGTH)
        throw new TypeError('a tag of the workbook has no end')
      const whole = text.slice(0, end)
      if (FORMAT.test(whole)) throw new TypeError('a number format of the workbook is too long')
      for (const [, attributes = ''] of whole.matchAll(PLACED)) {
        const place = placeOf(attributes)
        rows = Math.max(rows, place.row)
        columns = Math.max(columns, place.column)
      }
      checkCells(rows, columns)
      most = Math.max(most, rows * columns)
      kept = text.slice(end)
      if (!isLast) return
      kept = ''
      decoder = new TextDecoder()
      rows = 0
      columns = 0
    },
  }
}

/** Every attribute that may be a row or cell position counts. @throws TypeError for an invalid position */
function placeOf(attributes: string): { row: number; column: number } {
  let row = 0
  let column = 0
  if (!attributes.includes('>')) throw new TypeError('a row or cell of the sheet has no end')
  for (const [, double, single] of attributes.matchAll(PLACE)) {
    const [, letters, digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(double ?? single ?? '') ?? []
    if (letters === undefined) throw new TypeError('a row or cell of the sheet has no place')
    row = Math.max(row, Number(digits))
    column = Math.max(column, columnOf(letters))
  }
  return { row, column }
}

/** Converts A to 1 and AA to 27. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}
