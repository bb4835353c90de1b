import { describe, expect, test } from 'vitest'
import { createDataFrame } from '../../graph/values/data-frame.ts'
import { formatCsvTable, parseCsvTable } from './csv-table.ts'

describe('parseCsvTable', () => {
  test('a column holds numbers, truth values or texts, and null where nothing is', async () => {
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

  test('repeated and missing column names are told apart', async () => {
    expect((await parseCsvTable('a,a,\n1,2,3')).columns).toEqual(['a', 'a.1', 'Unnamed: 2'])
  })

  test('a row with too many cells is refused, one with too few is filled up', async () => {
    await expect(parseCsvTable('a,b\n1,2,3')).rejects.toThrow('CSV row 2')
    expect((await parseCsvTable('a,b\n1')).rows).toEqual([{ a: 1, b: null }])
  })
})

describe('formatCsvTable', () => {
  test('quotes what needs it, leaves null empty and ends each line', async () => {
    const frame = createDataFrame([
      { a: 1, b: 'x,y' },
      { a: null, b: true },
    ])
    expect(await formatCsvTable(frame)).toBe('a,b\n1,"x,y"\n,True\n')
    expect(await formatCsvTable(frame, { header: false })).toBe('1,"x,y"\n,True\n')
  })
})
