import { unzipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'
import { describe, expect, test } from 'vitest'
import { createData } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { appendedContents, fileContents, formatFor, withExtension } from './file-contents.ts'

const frame = createDataFrame([{ a: 1, b: 'x/ž' }, { a: null }])
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const contents = async (...[value, format]: Parameters<typeof fileContents>): Promise<string> =>
  text(await fileContents(value, format))
const appended = async (
  value: Parameters<typeof fileContents>[0],
  format: string,
  before: string,
) => text(await appendedContents(value, format, new TextEncoder().encode(before)))

describe('formatFor and withExtension (CO-57)', () => {
  test('each kind of value has its formats and a default format', () => {
    expect(formatFor(frame, '')).toBe('csv')
    expect(formatFor(createData({}), '')).toBe('json')
    expect(formatFor(createMessage('x'), 'txt')).toBe('txt')
    expect(() => formatFor(createMessage('x'), 'csv')).toThrow(
      "Invalid file format 'csv' for Message. Allowed: ['txt', 'json', 'markdown']",
    )
  })

  test('the extension follows the format and is added only if missing', () => {
    expect(withExtension('a/out', 'markdown')).toBe('a/out.markdown')
    expect(withExtension('out.JSON', 'json')).toBe('out.JSON')
    expect(withExtension('out.v1', 'json')).toBe('out.v1.json')
    expect(withExtension('out', 'excel')).toBe('out.xlsx')
    expect(withExtension('out.xls', 'excel')).toBe('out.xls')
    expect(withExtension('out.XLSX', 'excel')).toBe('out.XLSX')
    expect(withExtension('out.excel', 'excel')).toBe('out.excel.xlsx')
    expect(withExtension('folder.json/out', 'json')).toBe('folder.json/out.json')
  })
})

describe('fileContents (CO-57)', () => {
  test('writes tables as CSV and JSON', async () => {
    expect(await contents(frame, 'csv')).toBe('a,b\n1,x/ž\n,\n')
    expect(JSON.parse(await contents(frame, 'json'))).toEqual([
      { a: 1, b: 'x/ž' },
      { a: null, b: null },
    ])
    expect(await contents(createDataFrame([], ['a']), 'json')).toBe('[]')
  })

  test('lists in data become columns, other values repeat in each row', async () => {
    expect(await contents(createData({ a: [1, 2], b: 'x' }), 'csv')).toBe('a,b\n1,x\n2,x\n')
    await expect(contents(createData({ a: 1 }), 'csv')).rejects.toThrow('only lists become rows')
    await expect(contents(createData({ a: [1], b: [1, 2] }), 'csv')).rejects.toThrow('in length')
  })

  test('a streaming message is read to its end', async () => {
    async function* stream(): AsyncGenerator<string> {
      yield 'one '
      yield 'two'
    }
    expect(await contents(createMessage(stream()), 'txt')).toBe('one two')
  })

  test(
    'an Excel file is a workbook whose first line has the column names, with others in turn',
    { tags: ['long'] },
    async () => {
      const at = new Date('2024-02-29T12:30:00Z')
      const odd = '<b> & "it\'s" \n _x0041_ 😀\uD800'
      const columns = Array.from({ length: 703 }, (_, n) => `column ${n}`)
      const first = Object.fromEntries(columns.map((name, n) => [name, n]))
      const rows = [
        first,
        { 'column 0': odd, 'column 1': true, 'column 2': at, 'column 702': -1.5 },
      ]
      let turns = 0
      const others = setInterval(() => (turns += 1))
      const many = Array.from({ length: 280 }, () => first)
      const bytes = await fileContents(createDataFrame([...rows, ...many], columns), 'excel')
      clearInterval(others)
      expect(turns).toBeGreaterThan(5)
      const read = await readSheet(new Blob([Uint8Array.from(bytes)]))
      expect(read[0]).toEqual(columns)
      expect(read[1]).toEqual(columns.map((_, n) => n))
      const [note, yes, day, ...rest] = read[2] ?? []
      expect([yes, rest.at(-1)]).toEqual([true, -1.5])
      // Days are read to a millisecond or so.
      expect(Math.abs(Number(day) - at.getTime())).toBeLessThan(5)
      expect(note).toBe('<b> & "it\'s" \n _x005F_x0041_ 😀\uFFFD')
      const sheet = unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array()
      expect(new TextDecoder().decode(sheet)).toContain('<c r="AAA2"><v>702</v></c>')
    },
  )

  test('an Excel file has no character that XML forbids', async () => {
    const bytes = await fileContents(createDataFrame([{ a: 'bell \u0007 and \uFFFF' }]), 'excel')
    const sheet = unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array()
    expect(new TextDecoder().decode(sheet)).toContain('bell _x0007_ and _xFFFF_')
  })
})

describe('appendedContents (CO-57)', () => {
  test('csv gets rows without a header, starting on a new line', async () => {
    expect(await appended(frame, 'csv', 'a,b\n0,old')).toBe('a,b\n0,old\n1,x/ž\n,\n')
  })

  test('json becomes one list, whatever the file contained', async () => {
    const entry = createData({ n: 2 })
    const list = async (before: string): Promise<unknown> =>
      JSON.parse(await appended(entry, 'json', before))
    expect(await list('[{"n": 1}]')).toEqual([{ n: 1 }, { n: 2 }])
    expect(await list('{"n": 1}')).toEqual([{ n: 1 }, { n: 2 }])
    expect(await list('broken')).toEqual([{ n: 2 }])
    expect(JSON.parse(await appended(frame, 'json', '[]'))).toEqual([
      { a: 1, b: 'x/ž' },
      { a: null, b: null },
    ])
  })

  test('text is appended on a new line, markdown after a blank line', async () => {
    expect(await appended(createMessage('two'), 'txt', 'one')).toBe('one\ntwo')
    expect(await appended(createMessage('two'), 'markdown', 'one')).toBe(
      'one\n\n**Message:**\n\ntwo',
    )
  })
})
