import { describe, expect, test } from 'vitest'
import { createDataFrame } from '@x/flow-engine'
import {
  addColumn,
  dropColumn,
  dropDuplicates,
  filterRows,
  headRows,
  renameColumn,
  replaceValue,
  selectColumns,
  sortRows,
  tailRows,
} from './frame-operations.ts'

const people = createDataFrame([
  { name: 'Ann', age: 30, town: null },
  { name: 'Bob', age: 25, town: 'Rome' },
  { name: 'Cid', age: null, town: 'Oslo' },
])
const names = (frame: { rows: readonly object[] }): unknown[] =>
  frame.rows.map((row) => Reflect.get(row, 'name'))
const filtered = async (column: string, operator: string, value: string): Promise<unknown[]> =>
  names(await filterRows(people, { column, operator, value }))

describe('filterRows (CO-60)', () => {
  test('equality compares without conversion', async () => {
    expect(await filtered('name', 'equals', 'Bob')).toEqual(['Bob'])
    expect(await filtered('age', 'equals', '25')).toEqual([])
    expect(await filtered('age', 'not equals', '25')).toEqual(['Ann', 'Bob', 'Cid'])
  })

  test('CO-60: numbers are compared as strings with a value that is not a number', async () => {
    expect(await filtered('age', 'greater than', 'm')).toEqual(['Cid'])
    expect(await filtered('age', 'less than', 'm')).toEqual(['Ann', 'Bob'])
  })

  test('contains takes a pattern; empty cells match by their printed form', async () => {
    expect(await filtered('town', 'contains', '^[RO]')).toEqual(['Bob', 'Cid'])
    expect(await filtered('town', 'not contains', 'R')).toEqual(['Ann', 'Cid'])
    expect(await filtered('town', 'contains', 'None')).toEqual(['Ann'])
    expect(await filtered('age', 'ends with', '.0')).toEqual(['Ann', 'Bob'])
    expect(await filtered('age', 'starts with', 'nan')).toEqual(['Cid'])
    expect(await filtered('town', 'starts with', 's')).toEqual([])
    expect(await filtered('town', 'ends with', 'm')).toEqual([])
    await expect(filtered('town', 'contains', '(')).rejects.toThrow(
      'Filter Value is not a valid pattern: (',
    )
  })

  test('starts with and ends with compare the start and the end', async () => {
    expect(await filtered('name', 'starts with', 'A')).toEqual(['Ann'])
    expect(await filtered('name', 'ends with', 'd')).toEqual(['Cid'])
  })

  test('greater and less compare numbers if the value is a number, else strings', async () => {
    expect(await filtered('age', 'greater than', '25')).toEqual(['Ann'])
    expect(await filtered('age', 'less than', '30')).toEqual(['Bob'])
    expect(await filtered('name', 'greater than', 'B')).toEqual(['Bob', 'Cid'])
    expect(await filtered('name', 'greater than', '3')).toEqual(['Ann', 'Bob', 'Cid'])
    expect(await filtered('age', 'greater than', '')).toEqual([])
  })

  test('an unknown column is named in the error, an unknown operator means equals', async () => {
    await expect(filtered('x', 'equals', '')).rejects.toThrow(
      "Column 'x' not found in the DataFrame. Available columns: name, age, town",
    )
    expect(await filtered('name', 'like', 'Bob')).toEqual(['Bob'])
  })
})

describe('sortRows (CO-60)', () => {
  test('empty cells come last in both directions', async () => {
    expect(names(await sortRows(people, 'age', true))).toEqual(['Bob', 'Ann', 'Cid'])
    expect(names(await sortRows(people, 'age', false))).toEqual(['Ann', 'Bob', 'Cid'])
  })

  test('equal cells keep their order in both directions', async () => {
    const twins = createDataFrame([
      { name: 'a', key: 1 },
      { name: 'b', key: 1 },
    ])
    expect(names(await sortRows(twins, 'key', true))).toEqual(['a', 'b'])
    expect(names(await sortRows(twins, 'key', false))).toEqual(['a', 'b'])
  })
})

describe('columns (CO-60)', () => {
  test('drop and select trim names; unknown columns are refused', async () => {
    expect((await dropColumn(people, 'age')).columns).toEqual(['name', 'town'])
    expect((await selectColumns(people, [' town ', 'name'])).columns).toEqual(['town', 'name'])
    await expect(dropColumn(people, 'x')).rejects.toThrow("Column 'x' not found")
    await expect(selectColumns(people, ['x'])).rejects.toThrow("Column 'x' not found")
  })

  test('renaming keeps the position; renaming an unknown column changes nothing', async () => {
    expect((await renameColumn(people, 'age', 'years')).columns).toEqual(['name', 'years', 'town'])
    expect((await renameColumn(people, 'age', 'years')).rows[1]).toMatchObject({ years: 25 })
    expect(await renameColumn(people, 'x', 'y')).toBe(people)
  })

  test('adding a column sets every row; an existing column is replaced in place', async () => {
    expect((await addColumn(people, 'new', 'v')).columns).toEqual(['name', 'age', 'town', 'new'])
    expect((await addColumn(people, 'age', 'v')).columns).toEqual(['name', 'age', 'town'])
    expect((await addColumn(people, '__proto__', 'v')).rows[0]).toHaveProperty(['__proto__'], 'v')
  })
})

describe('rows (CO-60)', () => {
  test('head and tail with negative counts leave rows out', () => {
    expect(names(headRows(people, 2))).toEqual(['Ann', 'Bob'])
    expect(names(headRows(people, -1))).toEqual(['Ann', 'Bob'])
    expect(names(tailRows(people, 2))).toEqual(['Bob', 'Cid'])
    expect(names(tailRows(people, 0))).toEqual([])
    expect(names(tailRows(people, -1))).toEqual(['Bob', 'Cid'])
  })

  test('replace changes strings only', async () => {
    const replaced = await replaceValue(people, {
      column: 'town',
      value: 'Oslo',
      replacement: 'Bergen',
    })
    expect(replaced.rows.map(({ town }) => town)).toEqual([null, 'Rome', 'Bergen'])
    const numbers = await replaceValue(people, { column: 'age', value: '25', replacement: '0' })
    expect(numbers.rows[1]).toMatchObject({ age: 25 })
  })

  test('the first of several duplicates is kept; 1 and "1" are different', async () => {
    const frame = createDataFrame([{ k: 1 }, { k: '1' }, { k: 1 }, { k: null }, { k: null }])
    expect((await dropDuplicates(frame, 'k')).rows).toEqual([{ k: 1 }, { k: '1' }, { k: null }])
  })
})

test('AB-29 no operation makes a table of more than 5,000,000 cells', async () => {
  const sparse = createDataFrame(
    Array.from({ length: 3000 }, (_, at) => ({ text: 'x', [`k${at}`]: 1 })),
  )
  const refused = 'The table has more than 5000000 cells: 3000 rows of '
  await expect(addColumn(sparse, 'new', 'v')).rejects.toThrow(refused)
  await expect(renameColumn(sparse, 'text', 'new')).rejects.toThrow(refused)
  await expect(dropColumn(sparse, 'text')).rejects.toThrow(refused)
  expect((await selectColumns(sparse, ['text'])).rows).toHaveLength(3000)
})
