import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import type { Message } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent, type TestComponentOptions } from '@x/flow-engine/testing'

function component(type: string) {
  const found = builtinComponents.find((each) => each.type === type)
  if (found === undefined) throw new RangeError(type)
  return found
}

const build = async (type: string, inputs: object, options: TestComponentOptions = {}) =>
  (await testComponent(component(type), { ...options, inputs: { ...inputs } })).value

const dataOf = (value: unknown) => (value as Data).data
const listOf = (value: unknown) => (value as Data[]).map(({ data }) => data)
const textOf = (value: unknown) => (value as Message).text
const rowsOf = (value: unknown) => (value as DataFrame).rows

const ada = createData({ name: 'Ada', born: 1815 })
const alan = createData({ name: 'Alan', born: 1912 })

describe('ParseDataFrame (MO-51)', () => {
  const df = createDataFrame([{ name: 'Ada' }, { name: 'Alan' }])

  test('MO-51: fills the template once for each row', async () => {
    expect(
      textOf(await build('ParseDataFrame', { df, template: 'I am {name}.', sep: '\\n' })),
    ).toBe('I am Ada.\nI am Alan.')
  })

  test('MO-51: a missing column is an error that lists the columns', async () => {
    await expect(build('ParseDataFrame', { df, template: '{age}' })).rejects.toThrow(
      "The table has no column 'age'; its columns are: name",
    )
  })

  test('MO-51: without a table the text is empty', async () => {
    expect(textOf(await build('ParseDataFrame', { df: null }))).toBe('')
  })

  test('AB-29 MO-51: all rows share the limit of a filled template', async () => {
    const long = Array.from({ length: 70 }, () => ({ name: 'x'.repeat(1_000_000) }))
    const refused = 'The filled template is too long (limit 33554432 characters)'
    const rows = createDataFrame(long)
    const filling = build('ParseDataFrame', { df: rows, template: '{name}' })
    await expect(filling).rejects.toThrow(refused)
    const data = long.map((row) => createData(row))
    await expect(build('ParseData', { data, template: '{name}' })).rejects.toThrow(refused)
  })
})

describe('FilterData, ExtractaKey, SelectData, DataToDataFrame (MO-51)', () => {
  test('MO-51: FilterData keeps the listed keys as a Data', async () => {
    const inputs = { data: ada, filter_criteria: ['born', 'unknown'] }
    expect(dataOf(await build('FilterData', inputs))).toEqual({ born: 1815 })
    expect(dataOf(await build('FilterData', { data: null, filter_criteria: ['a'] }))).toEqual({})
  })

  test('MO-51: ExtractaKey returns the key of one Data, or of each Data in a list that has it', async () => {
    expect(dataOf(await build('ExtractaKey', { data_input: ada, key: 'name' }))).toEqual({
      name: 'Ada',
    })
    const list = [ada, createData({ other: 1 }), alan]
    expect(listOf(await build('ExtractaKey', { data_input: list, key: 'name' }))).toEqual([
      { name: 'Ada' },
      { name: 'Alan' },
    ])
    expect(dataOf(await build('ExtractaKey', { data_input: ada, key: 'age' }))).toEqual({
      error: "Key 'age' not found in the Data",
    })
  })

  test('MO-51: SelectData counts from 0; an index outside the list is an error', async () => {
    const inputs = { data_list: [ada, alan] }
    expect(dataOf(await build('SelectData', { ...inputs, data_index: 1 }))).toEqual(alan.data)
    await expect(build('SelectData', { ...inputs, data_index: 2 })).rejects.toThrow(
      'Selected index is out of range.',
    )
  })

  test('MO-51: DataToDataFrame makes a row of each Data', async () => {
    expect(rowsOf(await build('DataToDataFrame', { data_list: [ada, alan] }))).toEqual([
      ada.data,
      alan.data,
    ])
  })
})

describe('ParseJSONData (MO-51)', () => {
  test('MO-51: a jq expression is applied to a string, repaired if needed, and to Data', async () => {
    const text = "{'people': [{'name': 'Ada'}, {'name': 'Alan'}]}"
    const inputs = { input_value: text, query: '.people[].name' }
    expect(listOf(await build('ParseJSONData', inputs))).toEqual([
      { result: 'Ada' },
      { result: 'Alan' },
    ])
    expect(
      listOf(await build('ParseJSONData', { input_value: ada, query: '{who: .name}' })),
    ).toEqual([{ who: 'Ada' }])
  })

  test('MO-51: a string that is not JSON is refused', async () => {
    await expect(build('ParseJSONData', { input_value: 'hello', query: '.' })).rejects.toThrow(
      'is not JSON',
    )
  })
})

describe('CreateData, UpdateData, MergeDataComponent (MO-52)', () => {
  const fields = {
    field_2_key: { b: 2 },
    field_10_key: [{ c: 3 }, { d: 4 }],
    field_1_key: { a: 1, b: 0 },
  }

  test('MO-52: CreateData merges the fields in numeric order', async () => {
    expect(dataOf(await build('CreateData', { ...fields, text_key: 'a' }))).toEqual({
      a: 1,
      b: 2,
      c: 3,
      d: 4,
    })
  })

  test('MO-52: UpdateData changes the incoming Data and keeps its text key', async () => {
    const value = await build('UpdateData', {
      old_data: createData({ b: 'x', body: 'hi' }, { textKey: 'body' }),
      field_1_key: { b: 'y' },
    })
    expect(value).toMatchObject({ data: { b: 'y', body: 'hi' }, textKey: 'body' })
  })

  test('MO-52: a key named __proto__ is data like any other', async () => {
    const parts = JSON.parse('{"__proto__": {"x": 1}}') as object
    const data = dataOf(await build('CreateData', { field_1_key: parts }))
    expect(Object.hasOwn(data, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })

  test('MO-52: a missing text key is refused when validation is on', async () => {
    const inputs = { field_1_key: { a: 1 }, text_key: 'z', text_key_validator: true }
    await expect(build('CreateData', inputs)).rejects.toThrow("'z' is not a key of the Data: a")
  })

  test('MO-52: the editor shows the requested number of fields, 15 at most', async () => {
    const { refresh } = component('CreateData')
    const template = { _type: 'Component' } as unknown as Parameters<NonNullable<typeof refresh>>[0]
    const ctx = {} as Parameters<NonNullable<typeof refresh>>[3]
    await refresh?.(template, 'number_of_fields', 2, ctx)
    expect(Object.keys(template)).toEqual(['_type', 'field_1_key', 'field_2_key'])
    await refresh?.(template, 'number_of_fields', 1, ctx)
    expect(Object.keys(template)).toEqual(['_type', 'field_1_key'])
    expect(() => refresh?.(template, 'number_of_fields', 16, ctx)).toThrow('from 1 to 15')
  })

  test.each([
    ['Concatenate', [{ name: 'Ada\nAlan', born: '1815\n1912' }]],
    ['Append', [ada.data, alan.data]],
    ['Merge', [{ name: ['Ada', 'Alan'], born: [1815, 1912] }]],
    ['Join', [{ name: 'Ada', born: 1815, name_doc2: 'Alan', born_doc2: 1912 }]],
  ])('MO-52: MergeDataComponent merges with %s', async (operation, expected) => {
    const inputs = { data_inputs: [ada, alan], operation }
    expect(rowsOf(await build('MergeDataComponent', inputs))).toEqual(expected)
  })

  test('MO-52: fewer than two inputs are an error', async () => {
    await expect(build('MergeDataComponent', { data_inputs: [ada] })).rejects.toThrow(
      'at least two Data',
    )
  })
})

describe('RegexExtractorComponent, JSONCleaner, IDGenerator (MO-53)', () => {
  const extract = async (input_text: string, pattern: string) => {
    const { outputs } = await testComponent(component('RegexExtractorComponent'), {
      inputs: { input_text, pattern },
    })
    return { data: listOf(outputs['data']), text: textOf(outputs['text']) }
  }

  test('MO-53: returns a Data for each match, and a text with one match a line', async () => {
    expect(await extract('a1 b22 c', String.raw`[a-z]\d+`)).toEqual({
      data: [{ match: 'a1' }, { match: 'b22' }],
      text: 'a1\nb22',
    })
    expect((await extract('k=v x=y', String.raw`(\w)=`)).text).toBe('k\nx')
  })

  test('MO-53: reports when there is no match', async () => {
    expect(await extract('abc', String.raw`\d`)).toEqual({ data: [], text: 'No matches found' })
  })

  test('MO-53: an invalid pattern is reported as data', async () => {
    const { data, text } = await extract('abc', '(')
    expect(text).toMatch(/^Invalid regex pattern: /)
    expect(data).toEqual([{ error: text }])
  })

  test('AB-30: a pattern with catastrophic backtracking elsewhere takes no time', async () => {
    expect((await extract('a'.repeat(20_000) + '!', '(a+)+$')).text).toBe('No matches found')
  })

  test('AB-30: a pattern whose every match scans the rest of the text is aborted', async () => {
    const { data, text } = await extract('a'.repeat(200_000), 'a*b|a')
    expect(text).toContain('take too long')
    expect(data).toEqual([{ error: text }])
  })

  test('FF-50, FF-64: JSONCleaner extracts the object from surrounding text and repairs it', async () => {
    const given = { json_str: "Here you are: {'a': 1,} Bye" }
    expect(textOf(await build('JSONCleaner', given))).toBe('{"a":1}')
    await expect(build('JSONCleaner', { json_str: 'no braces' })).rejects.toThrow(
      'Invalid JSON string: cannot be repaired: no braces',
    )
    expect(textOf(await build('JSONCleaner', { ...given, validate_json: true }))).toBe('{"a":1}')
    const kept = { json_str: '{"a": 1.50, "b": 1e3, "c": [+3, .5],} {"d": "1.0"}' }
    expect(textOf(await build('JSONCleaner', kept))).toBe(
      '[{"a":1.50,"b":1e3,"c":[3,0.5]},{"d":"1.0"}]',
    )
  })

  test('MO-53: JSONCleaner removes control characters on request', async () => {
    const json_str = '{"a": "b\u0001c"}'
    expect(textOf(await build('JSONCleaner', { json_str, remove_control_chars: true }))).toBe(
      '{"a":"bc"}',
    )
  })

  test('MO-53: IDGenerator keeps the id of its field and creates one if it is empty', async () => {
    expect(textOf(await build('IDGenerator', { unique_id: 'mine' }))).toBe('mine')
    expect(textOf(await build('IDGenerator', {}))).toMatch(/^[\da-f]{8}-/)
  })
})

describe('CSVtoData, JSONtoData (MO-53)', () => {
  test('MO-53: returns a Data for each row, with its text from the named column', async () => {
    const inputs = { csv_string: 'id,body\n1,hello\n2,bye\n', text_key: 'body' }
    const rows = (await build('CSVtoData', inputs)) as Data[]
    expect(rows).toMatchObject([
      { data: { id: 1, body: 'hello' }, textKey: 'body' },
      { data: { id: 2, body: 'bye' } },
    ])
  })

  test('MO-53: reads a stored file and refuses a missing one', async () => {
    const files = {
      read: async (path: string) =>
        path === 'f/a.json' ? new TextEncoder().encode('[{"a": 1}, 2]') : null,
      write: async (path: string) => path,
      list: async () => [],
    }
    const read = (json_path: string) => build('JSONtoData', { json_path }, { services: { files } })
    expect(listOf(await read('f/a.json'))).toEqual([{ a: 1 }, { value: 2 }])
    await expect(read('f/b.json')).rejects.toThrow('f/b.json')
  })

  test('MO-53: JSON is repaired; other text and two sources are refused', async () => {
    expect(dataOf(await build('JSONtoData', { json_string: "{'a': 1}" }))).toEqual({ a: 1 })
    await expect(build('JSONtoData', { json_string: 'hello' })).rejects.toThrow('is not JSON')
    const both = { json_string: '{}', json_path: 'x.json' }
    await expect(build('JSONtoData', both)).rejects.toThrow('Set exactly one of these')
  })
})

test('MO-54: StoreMessage stores the message in the session and returns it', async () => {
  const services = createMemoryServices()
  const inputs = { message: 'Hello', sender: 'User', sender_name: 'Ada' }
  const value = await build('StoreMessage', inputs, { services, sessionId: 's1' })
  expect(value).toMatchObject({ text: 'Hello', sender: 'User', senderName: 'Ada' })
  expect(await services.messages?.list({ sessionId: 's1' })).toMatchObject([{ text: 'Hello' }])
})

describe('text splitters (MO-55)', () => {
  const chunks = async (type: string, text: string, inputs: object) =>
    listOf(await build(type, { data_input: createData({ text, page: 3 }), ...inputs })).map(
      ({ text: chunk, page }) => (expect(page).toBe(3), chunk),
    )

  test('MO-55: RecursiveCharacterTextSplitter splits by paragraphs, then lines, then words', async () => {
    const text = 'First paragraph here.\n\nSecond one\nwith two lines.'
    expect(
      await chunks('RecursiveCharacterTextSplitter', text, { chunk_size: 22, chunk_overlap: 0 }),
    ).toEqual(['First paragraph here.', 'Second one', 'with two lines.'])
    expect(
      await chunks('RecursiveCharacterTextSplitter', 'aaaa bbbb cccc', {
        chunk_size: 10,
        chunk_overlap: 5,
      }),
    ).toEqual(['aaaa bbbb', 'bbbb cccc'])
  })

  test('MO-55: a long word is split between characters', async () => {
    expect(
      await chunks('RecursiveCharacterTextSplitter', 'abcdefgh', {
        chunk_size: 3,
        chunk_overlap: 0,
      }),
    ).toEqual(['abc', 'def', 'gh'])
  })

  test('MO-55: custom separators are used', async () => {
    const inputs = { chunk_size: 4, chunk_overlap: 0, separators: ['|'] }
    expect(await chunks('RecursiveCharacterTextSplitter', 'ab|cd|ef', inputs)).toEqual([
      'ab',
      '|cd',
      '|ef',
    ])
  })

  test('MO-55: CharacterTextSplitter splits at one separator', async () => {
    const inputs = { chunk_size: 5, chunk_overlap: 0, separator: ',' }
    expect(await chunks('CharacterTextSplitter', 'ab,cd,ef', inputs)).toEqual(['ab,cd', 'ef'])
    expect(
      await chunks('CharacterTextSplitter', 'a\n\nb', { chunk_size: 1, chunk_overlap: 0 }),
    ).toEqual(['a', 'b'])
  })

  test('MO-55: an overlap that repeats a long text excessively is refused, as are many separators', async () => {
    const wide = { chunk_size: 5000, chunk_overlap: 4999, separator: '' }
    const text = 'x '.repeat(50_000)
    await expect(
      chunks('CharacterTextSplitter', text, { ...wide, separator: ' ' }),
    ).rejects.toThrow('use a smaller chunk_overlap')
    const separators = Array.from({ length: 101 }, (_, at) => `<${at}>`)
    await expect(chunks('RecursiveCharacterTextSplitter', 'abc', { separators })).rejects.toThrow(
      'at most 100',
    )
  })

  test('MO-55: an overlap larger than the size is refused', async () => {
    await expect(
      chunks('RecursiveCharacterTextSplitter', 'abc', { chunk_size: 2, chunk_overlap: 3 }),
    ).rejects.toThrow('larger chunk overlap')
  })
})
