import { describe, expect, test } from 'vitest'
import { columnMetadata, columnText } from './column-text.ts'
import { createDataFrame } from './data-frame.ts'

const texts = (...cells: unknown[]): string[] => {
  const frame = createDataFrame(cells.map((a) => ({ a })))
  const column = columnMetadata(frame, 'a')
  return cells.map((cell) => columnText(cell, column))
}

describe('columnText (CO-6)', () => {
  test.for([
    ['whole numbers', [1, 2], ['1', '2']],
    ['a fraction makes all of them fractions', [1, 2.5], ['1.0', '2.5']],
    ['a gap among numbers does so too', [1, null], ['1.0', 'nan']],
    ['a gap among texts', ['x', null], ['x', 'None']],
    ['mixed values stay as they are', [1, 'x', null], ['1', 'x', 'None']],
    ['nothing but gaps', [null, null], ['None', 'None']],
  ] as const)('%s', ([, cells, expected]) => {
    expect(texts(...cells)).toEqual(expected)
  })

  test('a column is numeric if it has only numbers, booleans and gaps', () => {
    const numeric = (...cells: unknown[]): boolean =>
      columnMetadata(createDataFrame(cells.map((a) => ({ a }))), 'a').numeric
    expect([numeric(1, null), numeric(true, false), numeric(null)]).toEqual([true, true, true])
    expect([numeric(1, 'x'), numeric(true, null), numeric(1, true)]).toEqual([false, false, false])
  })
})
