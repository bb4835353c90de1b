import { describe, expect, test } from 'vitest'
import {
  builtinComponents,
  dataFrameOperations,
  dataOperations,
  splitText,
} from '@x/flow-components'
import { parser, typeConverter } from '@x/flow-engine/components'
import { createNode } from '@x/flow-engine'
import type { TemplateField } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { Component } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

const run = async (component: Component, inputs: object, output: string): Promise<unknown> =>
  (await testComponent(component, { inputs: { ...inputs }, output })).value
const refresh = async (component: Component, field: string, value: unknown) =>
  (await refreshNode(component, createNode(component), { field, value })).data.node
const shown = (template: Record<string, TemplateField>, names: readonly string[]): string[] =>
  names.filter((name) => template[name]?.show === true)

describe('SplitText (CO-51)', () => {
  const split = async (data_inputs: unknown, inputs: object = {}): Promise<DataFrame> =>
    (await run(
      splitText,
      { data_inputs, chunk_overlap: 0, chunk_size: 1, ...inputs },
      'dataframe',
    )) as DataFrame

  test('chunks keep the other values of their source, with the text last', async () => {
    const frame = await split(createDataFrame([{ body: 'a\nb', id: 7 }]), { text_key: 'body' })
    expect(frame.columns).toEqual(['id', 'text'])
    expect(frame.rows).toEqual([
      { id: 7, text: 'a' },
      { id: 7, text: 'b' },
    ])
  })

  test('a list of data is split by the text key of each', async () => {
    const list = [createData({ a: 'x' }, { textKey: 'a' }), createData({ text: 'y' })]
    expect((await split(list)).rows).toEqual([{ text: 'x' }, { text: 'y' }])
  })

  test('a message keeps its fields', async () => {
    const [row] = (await split(createMessage({ text: 'a', senderName: 'Ann' }))).rows
    expect(row).toMatchObject({ text: 'a', sender_name: 'Ann' })
  })

  test('CO-51: the separator stays at the start for True, Start and End, and at the end only for lower-case end', async () => {
    const texts = async (keep_separator: string) => {
      const inputs = { separator: '.', chunk_size: 2, chunk_overlap: 0, keep_separator }
      return (await split(createMessage('a.b'), inputs)).rows.map(({ text }) => text)
    }
    expect(await texts('False')).toEqual(['a', 'b'])
    for (const keep of ['True', 'Start', 'End']) expect(await texts(keep)).toEqual(['a', '.b'])
    expect(await texts('end')).toEqual(['a.', 'b'])
  })

  test('separators can be written with a slash or an escape', async () => {
    for (const separator of ['/t', '\\t', '\t']) {
      expect((await split(createMessage('a\tb'), { separator })).rows).toHaveLength(2)
    }
    for (const separator of ['/n', '\\n', '\n']) {
      expect((await split(createMessage('a\nb'), { separator })).rows).toHaveLength(2)
    }
    expect((await split(createMessage('a.b*c'), { separator: '.' })).rows).toHaveLength(2)
    expect((await split(createMessage('ü😀'), { separator: '' })).rows).toHaveLength(2)
  })

  test('input that cannot be split is refused with a clear error', async () => {
    await expect(split(null)).rejects.toThrow('No data inputs provided')
    await expect(split([])).rejects.toThrow('No data inputs provided')
    await expect(split(['x'])).rejects.toThrow('No valid Data inputs found in list')
    await expect(split(createDataFrame([], ['text']))).rejects.toThrow('DataFrame is empty')
    await expect(split(createDataFrame([{ a: 1 }]))).rejects.toThrow(
      "Text key 'text' not found in DataFrame columns",
    )
    await expect(split(createMessage('a'), { chunk_overlap: 5 })).rejects.toThrow(
      'Error splitting text: Got a larger chunk overlap (5) than chunk size (1), should be smaller.',
    )
  })
})

describe('TypeConverterComponent (CO-55)', () => {
  const table = createDataFrame([{ a: 1, b: 'x' }])

  test('to a message: strings, the text of data, its literal form, a table', async () => {
    const text = async (input_data: unknown): Promise<unknown> =>
      ((await run(typeConverter, { input_data }, 'message_output')) as Message).text
    expect(await text('hi')).toBe('hi')
    expect(await text([createData({ text: 'first' }), createData({ text: 'second' })])).toBe(
      'first',
    )
    expect(await text(createData({ a: [null, true] }))).toBe("{'a': [None, True]}")
    expect(await text(table)).toContain('|   1 | x   |')
  })

  test('to data: structures are parsed only on request', async () => {
    const data = async (input_data: unknown, auto_parse = false): Promise<unknown> =>
      ((await run(typeConverter, { input_data, auto_parse }, 'data_output')) as Data).data
    expect(await data(createMessage('{"a": 1}'))).toEqual({ text: '{"a": 1}' })
    expect(await data(createMessage('{"a": 1}'), true)).toEqual({ a: 1 })
    expect(await data(table)).toEqual({ results: [{ a: 1, b: 'x' }] })
  })

  test.each(['JSON', 'Table', ' data ', 'DATAFRAME', 'Message'])(
    'FF-40, FF-41: output type %j is known',
    async (output_type) => {
      const inputs = { input_data: createMessage('hi'), output_type }
      const { data } = (await run(typeConverter, inputs, 'data_output')) as Data
      expect(data).toEqual({ text: 'hi' })
    },
  )

  test('FF-41: an unknown output type is named with the known ones', async () => {
    const inputs = { input_data: createMessage('hi'), output_type: 'Sheet' }
    await expect(run(typeConverter, inputs, 'data_output')).rejects.toThrow(
      'Component Type Convert: unknown output type "Sheet". Known: Message, Data, DataFrame, JSON, Table.',
    )
  })

  test('FF-41: closed choices are refused by name, names of models are not', async () => {
    const open = builtinComponents.flatMap(({ inputs, type }) =>
      Object.entries(inputs).flatMap(([name, { fieldKind, options }]) => {
        const isChoice = ['dropdown', 'tab', 'multiselect', 'sortableList'].includes(fieldKind)
        return isChoice && options.closed === false ? [`${type}.${name}`] : []
      }),
    )
    expect(open.toSorted()).toEqual([
      'AssemblyAITranscriptionJobCreator.speech_model',
      'AzureOpenAIEmbeddings.model',
      'CohereRerank.model',
      'CurrentDate.timezone',
      'IBMwatsonxModel.base_url',
      'MistralModel.model_name',
      'OpenAIEmbeddings.model',
      'SearchComponent.engine',
      'WatsonxEmbeddingsComponent.url',
    ])
    const df = createDataFrame([{ a: 'x' }])
    const filter = { df, operation: [{ name: 'Filter' }], column_name: 'a', filter_value: 'x' }
    await expect(
      run(dataFrameOperations, { ...filter, filter_operator: 'resembles' }, 'output'),
    ).rejects.toThrow('unknown filter operator "resembles". Known: equals, not equals,')
  })

  test('to a table: records become rows', async () => {
    const rows = async (input_data: unknown): Promise<unknown> => {
      const inputs = { input_data, auto_parse: true }
      return ((await run(typeConverter, inputs, 'dataframe_output')) as DataFrame).rows
    }
    expect(await rows(createMessage('a,b\n1,x'))).toEqual([{ a: 1, b: 'x' }])
    expect(await rows(createMessage('[{"a": 1}, {"a": 2}]'))).toEqual([{ a: 1 }, { a: 2 }])
    expect(await rows(createMessage('plain'))).toEqual([{ text: 'plain' }])
    expect(await rows(createData({ only: [{ a: 1 }, { a: 2 }] }))).toEqual([{ a: 1 }, { a: 2 }])
  })

  test('the chosen type decides which output the node has', async () => {
    const names = async (value: string): Promise<unknown> =>
      (await refresh(typeConverter, 'output_type', value)).outputs?.map(({ name }) => name)
    expect(await names('DataFrame')).toEqual(['dataframe_output'])
    expect(await names('Data')).toEqual(['data_output'])
    expect(await names('Message')).toEqual(['message_output'])
  })
})

describe('ParserComponent (CO-36)', () => {
  const parsed = async (input_data: unknown, pattern: string): Promise<unknown> =>
    (
      (await run(
        parser,
        { input_data, pattern, mode: 'Parser', sep: ';' },
        'parsed_text',
      )) as Message
    ).text

  test('cells are formatted by the type of their column', async () => {
    const frame = createDataFrame([{ a: 1, b: 'x' }, { a: 2.5 }])
    expect(await parsed(frame, '{a}/{b}')).toBe('1.0/x;2.5/nan')
    expect(await parsed(frame, '{a:6}|{b!r}')).toBe("   1.0|'x';   2.5|nan")
  })

  test('placeholders of a missing key are replaced by the default value in their format', async () => {
    const data = createData({ a: 'x' }, { defaultValue: 'none' })
    expect(await parsed(data, '{z:>6}{z[0]}{a!r}')).toBe("  nonen'x'")
    await expect(parsed(data, '{}')).rejects.toThrow('has no name')
    await expect(parsed(data, '{a[9]}')).rejects.toThrow('no key 9')
  })
})

describe('DataFrameOperations (CO-60)', () => {
  const df = createDataFrame([{ a: 'x' }, { a: 'y' }])
  const operate = async (name: string, inputs: object = {}): Promise<DataFrame> =>
    (await run(
      dataFrameOperations,
      { df, operation: name === '' ? [] : [{ name }], ...inputs },
      'output',
    )) as DataFrame

  test('without an operation the table passes unchanged, unknown ones are named in the error', async () => {
    expect(await operate('')).toBe(df)
    await expect(operate('Explode')).rejects.toThrow('unknown operation "Explode". Known: Add')
  })

  test('each operation reads its own fields', async () => {
    const add = { new_column_name: 'b', new_column_value: 'v' }
    expect((await operate('Add Column', add)).rows[0]).toEqual({ a: 'x', b: 'v' })
    const filter = { column_name: 'a', filter_operator: 'equals', filter_value: 'y' }
    expect((await operate('Filter', filter)).rows).toEqual([{ a: 'y' }])
    expect((await operate('Head', { num_rows: 1 })).rows).toEqual([{ a: 'x' }])
    expect((await operate('Tail', { num_rows: 1 })).rows).toEqual([{ a: 'y' }])
    const rename = { column_name: 'a', new_column_name: 'z' }
    expect((await operate('Rename Column', rename)).columns).toEqual(['z'])
    const replace = { column_name: 'a', replace_value: 'x', replacement_value: 'n' }
    expect((await operate('Replace Value', replace)).rows[0]).toEqual({ a: 'n' })
    expect((await operate('Select Columns', { columns_to_select: [' a '] })).columns).toEqual(['a'])
    const sort = { column_name: 'a', ascending: false }
    expect((await operate('Sort', sort)).rows[0]).toEqual({ a: 'y' })
    expect((await operate('Drop Column', { column_name: 'a' })).columns).toEqual([])
    expect((await operate('Drop Duplicates', { column_name: 'a' })).rows).toHaveLength(2)
  })

  test('the editor shows only the fields of the chosen operation', async () => {
    const names = Object.keys(dataFrameOperations.inputs).slice(2)
    const choose = async (value: unknown): Promise<string[]> =>
      shown((await refresh(dataFrameOperations, 'operation', value)).template, names)
    expect(await choose([{ name: 'Sort', icon: 'x' }])).toEqual(['column_name', 'ascending'])
    expect(await choose([{ name: 'Replace Value', icon: 'x' }])).toEqual([
      'column_name',
      'replace_value',
      'replacement_value',
    ])
    expect(await choose([])).toEqual([])
  })
})

describe('DataOperations (CO-61)', () => {
  const operate = async (name: string, data: object[], inputs: object = {}): Promise<unknown> => {
    const given = { data: data.map((each) => createData({ ...each })), operations: [{ name }] }
    return ((await run(dataOperations, { ...given, ...inputs }, 'data_output')) as Data).data
  }

  test('zero or several operations return nothing', async () => {
    const data = [createData({ a: 1 })]
    const inputs = { data, operations: [{ name: 'Combine' }, { name: 'Select Keys' }] }
    expect(await run(dataOperations, inputs, 'data_output')).toMatchObject({ data: {} })
    expect(await run(dataOperations, { data }, 'data_output')).toMatchObject({ data: {} })
  })

  test('only Combine accepts several data', async () => {
    const two = [{ a: 1 }, { a: 2 }]
    expect(await operate('Combine', two)).toEqual({ a: [1, 2] })
    await expect(operate('Remove Keys', two)).rejects.toThrow(
      'Remove Keys operation is not supported for multiple data objects.',
    )
  })

  test('applies the operations on one object', async () => {
    const data = [{ a: '1', b: { a: 2 } }]
    expect(await operate('Select Keys', data, { select_keys_input: ['a'] })).toEqual({ a: '1' })
    expect(await operate('Remove Keys', data, { remove_keys_input: ['a'] })).toEqual({ b: {} })
    expect(await operate('Rename Keys', data, { rename_keys_input: { a: 'x' } })).toEqual({
      x: '1',
      b: { x: 2 },
    })
    expect(await operate('Literal Eval', data)).toEqual({ a: 1, b: { a: 2 } })
    expect(await operate('Append or Update', data, { append_update_data: { a: 2, c: 3 } })).toEqual(
      { a: 2, b: { a: 2 }, c: 3 },
    )
  })

  test('the input is not modified', async () => {
    const data = createData({ a: [1] })
    const inputs = { data: [data, createData({ a: 2 })], operations: [{ name: 'Combine' }] }
    await run(dataOperations, inputs, 'data_output')
    expect(data.data).toEqual({ a: [1] })
  })

  test('jq: one object is returned as it is, scalars and several results under result', async () => {
    const data = [{ o: { x: 1 }, list: [1, 2] }]
    expect(await operate('JQ Expression', data, { query: '.o' })).toEqual({ x: 1 })
    expect(await operate('JQ Expression', data, { query: '.o.x' })).toEqual({ result: 1 })
    expect(await operate('JQ Expression', data, { query: '.list[]' })).toEqual({ result: [1, 2] })
  })

  test.each([
    ['', 'JSON Query is required and cannot be blank.'],
    ['empty', 'JSON Query error: No result from JSON query.'],
    [
      '.none',
      'JSON Query error: JSON query returned null/None. Check if the path exists in your data.',
    ],
    ['.list | map(', /^JSON Query error: syntax error/],
  ])('jq %j fails with a clear error', async (query, message) => {
    await expect(operate('JQ Expression', [{ a: 1 }], { query })).rejects.toThrow(message)
  })

  test('a path reports its error in the result', async () => {
    const data = [{ a: { b: 1 } }]
    const select = async (selected_key: string): Promise<unknown> =>
      operate('Path Selection', data, { selected_key })
    expect(await select('.a')).toEqual({ b: 1 })
    expect(await select('.a.b')).toEqual({ result: 1 })
    expect(await select('.z')).toEqual({ result: null })
    expect(await select('')).toEqual({ error: 'Missing input data or selected key.' })
    expect(await select('.a[')).toHaveProperty('error')
  })

  test('the editor shows the fields of the operation; Combine accepts a list', async () => {
    const names = Object.keys(dataOperations.inputs).slice(2)
    const choose = async (name: string) => {
      const { template } = await refresh(dataOperations, 'operations', [{ name, icon: 'x' }])
      return [shown(template, names), template.data?.is_list]
    }
    expect(await choose('Combine')).toEqual([[], true])
    expect(await choose('Filter Values')).toEqual([
      ['filter_key', 'operator', 'filter_values'],
      false,
    ])
    expect(await choose('Path Selection')).toEqual([['mapped_json_display', 'selected_key'], false])
  })

  test('a sample that is not JSON offers no paths', async () => {
    const { template } = await refresh(dataOperations, 'mapped_json_display', '{"a":')
    expect(template.selected_key).toMatchObject({ options: [], show: false })
  })
})
