import { describe, expect, test } from 'vitest'
import { builtinComponents, operations, textOperations } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { Component } from '@x/flow-engine'
import type { NodeDetails } from '@x/flow-engine'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { Message } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

const chosen = (name: string) => ({ operation: [{ name }] })

async function text(name: string, inputs: object): Promise<unknown> {
  const { outputs } = await testComponent(operations, {
    inputs: { ...chosen(name), ...inputs },
    output: ['message_output'],
  })
  return (outputs.message_output as Message).text
}

async function table(name: string, inputs: object): Promise<DataFrame> {
  const { outputs } = await testComponent(operations, {
    inputs: { input_type: 'Table', ...chosen(name), ...inputs },
    output: ['dataframe_output'],
  })
  return outputs.dataframe_output as DataFrame
}

async function data(name: string, inputs: object): Promise<unknown> {
  const { outputs } = await testComponent(operations, {
    inputs: { input_type: 'JSON', ...chosen(name), ...inputs },
    output: ['data_output'],
  })
  return (outputs.data_output as Data).data
}

describe('Operations on texts (NX-31)', () => {
  test('NX-31: counts words, characters and lines; a blank text has none', async () => {
    const count = async (text_input: string, more: object = {}) =>
      data('Word Count', { input_type: 'Text', text_input, ...more })
    expect(await count('one two\n\n two 😀')).toEqual({
      word_count: 4,
      unique_words: 3,
      character_count: 15,
      character_count_no_spaces: 12,
      line_count: 3,
      non_empty_lines: 2,
    })
    expect(await count('one', { count_words: false, count_lines: false })).toEqual({
      character_count: 3,
      character_count_no_spaces: 3,
    })
    expect(await count(' \n ', { count_characters: false, count_lines: false })).toEqual({
      word_count: 0,
      unique_words: 0,
    })
  })

  test.each([
    ['uppercase', 'AB ÉC-DE'],
    ['lowercase', 'ab éc-de'],
    ['title', 'Ab Éc-De'],
    ['capitalize', 'Ab éc-de'],
    ['swapcase', 'Ab éC-DE'],
  ])('NX-31: converts the case to %s', async (case_type, expected) => {
    expect(await text('Case Conversion', { text_input: 'aB Éc-de', case_type })).toBe(expected)
  })

  test('NX-31: replaces texts, and patterns with their groups', async () => {
    const replace = (search_pattern: string, replacement_text: string, use_regex: boolean) =>
      text('Text Replace', { text_input: 'a.b ac', search_pattern, replacement_text, use_regex })
    expect(await replace('a.', 'X', false)).toBe('Xb ac')
    expect(await replace('a(.)', '<\\1>', true)).toBe('<.>b <c>')
    expect(await replace('(?P<x>a)', '\\g<x>!', true)).toBe('a!.b a!c')
    expect(await replace('(', 'X', true)).toBe('a.b ac')
    await expect(replace('a', '\\7', true)).rejects.toThrow('The pattern has no group 7')
    await expect(
      text('Text Replace', {
        text_input: 'a'.repeat(10_000),
        search_pattern: 'a',
        replacement_text: 'b'.repeat(10_000),
      }),
    ).rejects.toThrow('The replacements would add more than 10000000 characters to the text')
  })

  test('NX-31: extracts one match a line, or group 1 if there is one group', async () => {
    const extract = (extract_pattern: string, max_matches = 10) =>
      text('Text Extract', { text_input: 'a1 b2 c3', extract_pattern, max_matches })
    expect(await extract('\\w\\d')).toBe('a1\nb2\nc3')
    expect(await extract('\\w(\\d)', 2)).toBe('1\n2')
    expect(await extract('\\w\\d', 0)).toBe('a1\nb2\nc3')
    await expect(extract('(')).rejects.toThrow("Invalid regex pattern '(': ")
  })

  test('NX-31: head and tail count characters; a negative count is an error', async () => {
    expect(await text('Text Head', { text_input: '😀bcd', head_characters: 2 })).toBe('😀b')
    expect(await text('Text Tail', { text_input: 'abc', tail_characters: 2 })).toBe('bc')
    expect(await text('Text Tail', { text_input: 'abc', tail_characters: 0 })).toBe('')
    await expect(text('Text Head', { text_input: 'a', head_characters: -1 })).rejects.toThrow(
      'Characters from Start must be a non-negative integer, got -1',
    )
    await expect(text('Text Tail', { text_input: 'a', tail_characters: -2 })).rejects.toThrow(
      'Characters from End must be a non-negative integer, got -2',
    )
  })

  test('NX-31: strips white space or a set of characters', async () => {
    expect(await text('Text Strip', { text_input: ' \ta ' })).toBe('a')
    expect(await text('Text Strip', { text_input: '-+a-', strip_characters: '+-' })).toBe('a')
    const left = { strip_mode: 'left', strip_characters: '-' }
    expect(await text('Text Strip', { text_input: '-a-', ...left })).toBe('a-')
  })

  test('NX-31: joins by a newline; with an empty side the other is returned', async () => {
    expect(await text('Text Join', { text_input: 'a', text_input_2: 'b' })).toBe('a\nb')
    expect(await text('Text Join', { text_input: '', text_input_2: 'b' })).toBe('b')
    expect(await text('Text Join', { text_input: 'a' })).toBe('a')
  })

  test('NX-31: cleans blanks, then special characters, then empty lines', async () => {
    const text_input = 'a  b!\n  \n\tc_1 \u{1F600}'
    expect(await text('Text Clean', { text_input })).toBe('a b!\n \n c_1 \u{1F600}')
    expect(
      await text('Text Clean', {
        text_input,
        remove_special_chars: true,
        remove_empty_lines: true,
      }),
    ).toBe('a b\n c_1 ')
  })

  test('NX-31: parses tables; numeric columns contain numbers', async () => {
    const read = (text_input: string, more: object = {}) =>
      table('Text to DataFrame', { input_type: 'Text', text_input, ...more })
    const people = await read('| name | age |\n|---|:-:|\n| Ada | 36 |\n| Bob | 4.5 |')
    expect(people.columns).toEqual(['name', 'age'])
    expect(people.rows).toEqual([
      { name: 'Ada', age: 36 },
      { name: 'Bob', age: 4.5 },
    ])
    const plain = await read('a,1\nb,x', { table_separator: ',', has_header: false })
    expect(plain.rows).toEqual([
      { col_0: 'a', col_1: '1' },
      { col_0: 'b', col_1: 'x' },
    ])
    await expect(read('a|b\n1|2|3')).rejects.toThrow(
      'Header mismatch: 2 column(s) in header vs 3 column(s) in data row 1. ',
    )
    expect((await read('')).rows).toEqual([])
  })

  test('NX-31: without an operation the outputs are empty', async () => {
    const all = ['message_output', 'data_output', 'dataframe_output']
    const { outputs } = await testComponent(operations, {
      inputs: { text_input: 'a' },
      output: all,
    })
    expect((outputs.message_output as Message).text).toBe('')
    expect((outputs.data_output as Data).data).toEqual({})
    expect((outputs.dataframe_output as DataFrame).rows).toEqual([])
  })
})

describe('Operations on data and tables (NX-31)', () => {
  const one = createData({ a: 1, b: 2 })

  test('NX-31: data operations work as in Data Operations', async () => {
    expect(await data('Select Keys', { data: one, select_keys_input: ['b'] })).toEqual({ b: 2 })
    expect(await data('Remove Keys', { data: one, remove_keys_input: ['b'] })).toEqual({ a: 1 })
    expect(await data('JQ Expression', { data: one, query: '.a' })).toEqual({ result: 1 })
    expect(await data('Path Selection', { data: one, selected_key: '.x[' })).toHaveProperty('error')
    expect(await data('Combine', { data: [one, createData({ a: 3 })] })).toEqual({
      a: [1, 3],
      b: 2,
    })
    await expect(data('Select Keys', { data: one, select_keys_input: ['z'] })).rejects.toThrow(
      'Select key not found in data. Available keys: ',
    )
    await expect(data('Remove Keys', { data: [one, one], remove_keys_input: [] })).rejects.toThrow(
      'Remove Keys operation is not supported for multiple data objects. Connect one JSON input, or use Combine.',
    )
  })

  const left = createDataFrame([
    { id: 2, x: 'l2', note: null },
    { id: 1, x: 'l1', note: 'left' },
  ])
  const right = createDataFrame([
    { id: 1, y: 'r1', note: 'right' },
    { id: 3, y: 'r3', note: 'right' },
    { id: 2, y: 'r2', note: 'right' },
  ])

  test('NX-31: concatenates all tables in the order of their edges', async () => {
    const made = await table('Concatenate', { df: [left, right] })
    expect(made.columns).toEqual(['id', 'x', 'note', 'y'])
    expect(made.rows.map(({ id }) => id)).toEqual([2, 1, 1, 3, 2])
  })

  test.each([
    ['inner', [2, 1]],
    ['left', [2, 1]],
    ['right', [1, 3, 2]],
    ['outer', [1, 2, 3]],
  ])('NX-31: merges tables with %s', async (merge_how, ids) => {
    const inputs = { left_dataframe: left, right_dataframe: right, merge_how }
    const made = await table('Merge', { ...inputs, merge_on_column: 'id' })
    expect(made.columns).toEqual(['id', 'x', 'note', 'y'])
    expect(made.rows.map(({ id }) => id)).toEqual(ids)
    const two = made.rows.find(({ id }) => id === 2)
    expect(two).toEqual({ id: 2, x: 'l2', note: 'right', y: 'r2' })
    const first = made.rows.find(({ id }) => id === 1)
    expect(first).toEqual({ id: 1, x: 'l1', note: 'left', y: 'r1' })
  })

  test('NX-31: without a column rows merge by position; an unknown column is named in the error', async () => {
    const inputs = { left_dataframe: left, right_dataframe: right }
    const made = await table('Merge', { ...inputs, merge_how: 'outer' })
    expect(made.rows.map(({ x, y }) => [x, y])).toEqual([
      ['l2', 'r1'],
      ['l1', 'r3'],
      [null, 'r2'],
    ])
    await expect(table('Merge', { ...inputs, merge_on_column: 'y' })).rejects.toThrow(
      "Column 'y' not found in left DataFrame. Available: ['id', 'x', 'note']",
    )
  })

  test('NX-31: a merge that multiplies rows is limited', { tags: ['long'] }, async () => {
    const many = createDataFrame(Array.from({ length: 1_100 }, () => ({ id: 1 })))
    const inputs = { left_dataframe: many, right_dataframe: many, merge_on_column: 'id' }
    await expect(table('Merge', inputs)).rejects.toThrow('The merge has more than 1000000 rows')
  })

  test('NX-31: in a numeric column a numeric string equals the number', async () => {
    const df = createDataFrame([{ n: 1 }, { n: 2 }])
    const filter = { df, column_name: 'n', filter_value: '2' }
    expect((await table('Filter', filter)).rows).toEqual([{ n: 2 }])
    expect((await table('Filter', { ...filter, filter_operator: 'not equals' })).rows).toEqual([
      { n: 1 },
    ])
    const replace = { df, column_name: 'n', replace_value: '1', replacement_value: 'one' }
    expect((await table('Replace Value', replace)).rows).toEqual([{ n: 'one' }, { n: 2 }])
    expect((await table('Head', { df, num_rows: 1 })).rows).toEqual([{ n: 1 }])
  })

  test('NX-28, NX-31: Data Frame Operations concatenates and merges too', async () => {
    const component = builtinComponents.find(({ type }) => type === 'DataFrameOperations')
    if (component === undefined) throw new Error('no such component')
    const run = async (name: string, inputs: object) =>
      (await testComponent(component, { inputs: { ...chosen(name), ...inputs } }))
        .value as DataFrame
    expect((await run('Concatenate', { df: [left, right] })).rows).toHaveLength(5)
    const sides = { left_dataframe: left, right_dataframe: right, merge_on_column: 'id' }
    expect((await run('Merge', sides)).rows).toHaveLength(2)
    expect((await run('Merge', { df: [left, right], merge_on_column: 'id' })).rows).toHaveLength(2)
    const rows = [createData({ a: 1 }), createData({ a: 2 })]
    expect((await run('Head', { df: rows, num_rows: 5 })).rows).toEqual([{ a: 1 }, { a: 2 }])
    await expect(run('Merge', { df: left })).rejects.toThrow('Merge needs two tables')
  })
})

describe('a node of Operations', () => {
  const change = async (component: Component, field: string, value: unknown) => {
    const node = await refreshNode(component, createNode(component), { field, value })
    return node.data.node
  }
  const outputsOf = ({ outputs = [] }: NodeDetails) => outputs.map(({ name }) => name)

  test('NX-31: choosing an operation shows its fields and the matching output', async () => {
    expect(outputsOf(createNode(operations).data.node)).toEqual(['message_output'])
    const counted = await change(operations, 'operation', [{ name: 'Word Count' }])
    expect(outputsOf(counted)).toEqual(['data_output'])
    expect(counted.template.count_words?.show).toBe(true)
    expect(counted.template.case_type?.show).toBe(false)
    const asTable = await change(operations, 'input_type', 'Table')
    expect(asTable.template).toMatchObject({
      text_input: { show: false },
      df: { show: true },
      operation: { value: [] },
    })
    expect(asTable.template.operation?.options).toContainEqual({ name: 'Merge', icon: 'merge' })
    expect(outputsOf(asTable)).toEqual(['dataframe_output'])
  })

  test.each([
    ['Text Head', ['message']],
    ['Word Count', ['data']],
    ['Text to DataFrame', ['dataframe']],
    ['Text Join', ['text', 'message']],
  ])('NX-31: Text Operations has the outputs of %s', async (name, expected) => {
    expect(outputsOf(await change(textOperations, 'operation', [{ name }]))).toEqual(expected)
  })

  test.each([
    [true, 'abc'],
    [false, 'abcdef'],
  ])('NX-31, NX-41: a field with show %s in a flow', async (show, expected) => {
    const node = createNode(operations)
    const { template } = node.data.node
    Object.assign(template.operation ?? {}, { value: [{ name: 'Text Head' }] })
    Object.assign(template.text_input ?? {}, { value: 'abcdef' })
    Object.assign(template.head_characters ?? {}, { value: 3, show })
    const run = runFlow(
      { data: { nodes: [node], edges: [] } },
      { components: createRegistry(builtinComponents), outputType: 'debug' },
    )
    const [made] = (await run.result).outputs
    expect((made?.outputs['message_output'] as Message | undefined)?.text).toBe(expected)
  })
})
