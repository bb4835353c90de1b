import papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { createDataFrame } from '../../graph/values/data-frame.ts'
import { readCsv } from './csv-cells.ts'
import { formatCsvTable, parseCsvTable } from './csv-table.ts'

describe('parseCsvTable', () => {
  test('a column holds numbers, booleans or strings, and null for empty cells', async () => {
    const { columns, rows } = await parseCsvTable('n,b,t,gap\n1,True,x,\n2.5,False,3,NA\n')
    expect(columns).toEqual(['n', 'b', 't', 'gap'])
    expect(rows).toEqual([
      { n: 1, b: true, t: 'x', gap: null },
      { n: 2.5, b: false, t: '3', gap: null },
    ])
  })

  test('quoted cells keep commas, quotes and line breaks', async () => {
    const { rows } = await parseCsvTable('a,b\n"x,""y""","1\n2"\n')
    expect(rows).toEqual([{ a: 'x,"y"', b: '1\n2' }])
  })

  test('repeated and missing column names get distinct names', async () => {
    expect((await parseCsvTable('a,a,\n1,2,3')).columns).toEqual(['a', 'a.1', 'Unnamed: 2'])
  })

  test('a row with too many cells is refused, a row with too few is padded', async () => {
    await expect(parseCsvTable('a,b\n1,2,3')).rejects.toThrow('CSV row 2')
    expect((await parseCsvTable('a,b\n1')).rows).toEqual([{ a: 1, b: null }])
  })
})

/** Cells that papaparse also reads, including those with misplaced quotes. */
test('reads all kinds of CSV as papaparse does', async () => {
  const pieces = ['"', '""', ',', '\n', '\r\n', '\r', ' ', 'a', 'bc', '1', '\t', '\u00A0']
  let seed = 1
  const next = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join('')
    const lines: string[][] = []
    let line: string[] = []
    await readCsv(text, (cells, isLast) => {
      line.push(...cells)
      if (!isLast) return
      lines.push(line)
      line = []
    })
    const { data } = papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true })
    expect([text, lines]).toEqual([text, data])
  }
})

test('writes all kinds of cells as papaparse does', async () => {
  const pieces = ['"', ',', '\n', '\r', ' ', 'a', '\uFEFF', '\t']
  const texts = pieces.flatMap((first) =>
    pieces.flatMap((second) => pieces.map((third) => first + second + third)),
  )
  const rows = texts.map((text) => ({ a: text, b: '' }))
  const written = await formatCsvTable(createDataFrame(rows, ['a', 'b']), { header: false })
  const cells = rows.map(({ a, b }) => [a, b])
  expect(written).toBe(`${papa.unparse(cells, { newline: '\n' })}\n`)
})

describe('AB-35 hostile CSV is read in time linear in its length', () => {
  test.each([
    ['quotes inside a cell', `a\n"${'x"'.repeat(300_000)}`],
    ['doubled quotes', `a\n"${'""'.repeat(300_000)}"`],
    ['blanks after quotes', `a\n"x"${' '.repeat(300_000)}x${'" '.repeat(100_000)}`],
    ['text that only looks like a number', `a\n${'1'.repeat(300_000)}x`],
    ['carriage returns within lines', `a\nx${'\r'.repeat(300_000)}`],
  ])('%s', async (_name, text) => {
    const { rows } = await parseCsvTable(text)
    expect(String(rows[0]?.['a']).length).toBeGreaterThan(90_000)
  })

  test.each([
    ['a cell of millions of characters', `a\n"${'x'.repeat(5_000_001)}"`, '5000000 characters'],
    ['a line of commas', ','.repeat(6_000_000), '5000000 cells'],
    [
      'too many columns times rows',
      `${'a,'.repeat(5000)}a\n${'1\n'.repeat(1001)}`,
      '5000000 cells',
    ],
  ])('%s is refused', async (_name, text, told) => {
    await expect(parseCsvTable(text)).rejects.toThrow(told)
  })
})

describe('formatCsvTable', () => {
  test('quotes where needed, leaves null empty and ends each line', async () => {
    const frame = createDataFrame([
      { a: 1, b: 'x,y' },
      { a: null, b: true },
    ])
    expect(await formatCsvTable(frame)).toBe('a,b\n1,"x,y"\n,True\n')
    expect(await formatCsvTable(frame, { header: false })).toBe('1,"x,y"\n,True\n')
  })
})
