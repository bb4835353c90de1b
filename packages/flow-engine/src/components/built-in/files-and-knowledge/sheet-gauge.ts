import { checkCells } from '../../values/table-size.ts'

/** Characters of a tag with its text; what is longer is no sheet. */
const LONGEST_TAG = 1_000_000
/** Characters of a number format, as Excel has it. */
const LONGEST_FORMAT = 255

const PLACED = /<(?:[\w.-]+:)?(?:row|c)(?=[\s/>])([^<]*)/g
const PLACE = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const FORMAT = new RegExp(
  `formatCode\\s*=\\s*(?:"[^"]{${LONGEST_FORMAT + 1}}|'[^']{${LONGEST_FORMAT + 1}})`,
)

/** Looks at the parts of a workbook before a library builds its cells. */
export interface SheetGauge {
  /** Takes an entry of the archive, piece by piece. @throws FlowError, TypeError */
  take(piece: Uint8Array, isLast: boolean): void
  /** Cells of the largest sheet up to now, rows times columns. */
  most(): number
}

/**
 * A sheet names the places of its cells: two cells that are far apart make a table of all the cells
 * between them, so that a file of a kilobyte fills the memory. Number formats that are longer than Excel
 * takes are refused: reading them takes time that grows with the square of their length.
 */
export function createSheetGauge(): SheetGauge {
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
      if (text.length - end > LONGEST_TAG) throw new TypeError('a tag of the workbook has no end')
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

/** Everything that may be the place of a row or cell counts. @throws TypeError for one that is none */
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

/** 1 for A, 27 for AA. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}
