import { ScimError } from '../base/errors.ts'
import type { DirectoryRow } from './compare-directory.ts'

/** Maximum characters of a line. */
const MAX_LINE = 65_536

/**
 * The rows of a CSV text (RFC 4180) whose first line names the columns: `userName` or `externalId`, and
 * `active`, ignoring case; other columns are skipped.
 * @throws ScimError invalidValue for a list without these columns, and for a line that is too long
 */
export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<DirectoryRow> {
  let columns: ReadonlyMap<string, number> | undefined
  for await (const cells of csvLines(chunks)) {
    if (cells.length === 1 && cells[0] === '') continue
    if (columns === undefined) {
      columns = new Map(cells.map((cell, place) => [cell.trim().toLowerCase(), place]))
      if (!columns.has('username') && !columns.has('externalid'))
        throw new ScimError('invalid_value', 'The first line must name userName or externalId.')
      continue
    }
    const cell = (name: string): string | undefined => {
      const text = cells[columns?.get(name) ?? -1]?.trim()
      return text === '' ? undefined : text
    }
    yield {
      userName: cell('username'),
      externalId: cell('externalid'),
      active: switchOf(cell('active')),
    }
  }
  if (columns === undefined) throw new ScimError('invalid_value', 'The list is empty.')
}

function switchOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(true|yes|1|active|enabled)$/i.test(text)) return true
  if (/^(false|no|0|inactive|disabled)$/i.test(text)) return false
  throw new ScimError('invalid_value', 'active must be true or false.')
}

/** The cells of each line; quoted ones may hold separators, line ends and doubled quotes. */
async function* csvLines(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  /** A quote inside a quoted cell, which ends it unless another follows. */
  let isPending = false
  let length = 0
  for await (const chunk of chunks) {
    for (const char of chunk) {
      length += 1
      if (length > MAX_LINE) throw new ScimError('invalid_value', 'A line is too long.')
      if (isPending) {
        isPending = false
        if (char === '"') {
          cell += '"'
          continue
        }
        isQuoted = false
      }
      if (isQuoted) {
        if (char === '"') isPending = true
        else cell += char
      } else if (char === '"' && cell === '') isQuoted = true
      else if (char === ',' || char === ';' || char === '\t') {
        cells.push(cell)
        cell = ''
      } else if (char === '\n') {
        yield [...cells, cell]
        cells = []
        cell = ''
        length = 0
      } else if (char !== '\r' && char !== '\u{FEFF}') cell += char
    }
  }
  if (cell !== '' || cells.length > 0) yield [...cells, cell]
}
