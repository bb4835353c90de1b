import { smallAndFull } from '@x/test-kit/small-and-full'
import { describe, expect, test } from 'vitest'
import { turnsDuring } from '@x/test-kit'
import { finish } from '@x/wire'
import {
  toData,
  toDataFrame,
  toMessage,
  toMessageInTurns,
  toPlain,
  toText,
  toTextInTurns,
} from './convert.ts'
import { createData, isData } from './data.ts'
import { createDataFrame, type DataFrame } from './data-frame.ts'
import { toLiteralText } from './literal-text.ts'
import { markdownTable } from './markdown-table.ts'
import { createMessage, isMessage } from './message.ts'
import { readMessage } from './read-message.ts'

const table = (frame: DataFrame): string => finish(markdownTable(frame))

describe('createMessage (CO-1)', () => {
  test('fills in the defaults of missing fields', () => {
    const { timestamp: _time, ...rest } = createMessage('hi')
    expect(rest).toMatchObject({
      text: 'hi',
      sender: null,
      senderName: null,
      sessionId: '',
      contextId: '',
      files: [],
      flowId: null,
      error: false,
      edit: false,
      category: 'message',
      contentBlocks: [],
      duration: null,
      properties: { state: 'complete', source: { id: null, display_name: null, source: null } },
    })
  })

  test('files: a falsy value becomes an empty list, a single value a list, an entry with a path its path', () => {
    expect(createMessage({ files: '' }).files).toEqual([])
    expect(createMessage({ files: 'a.txt' }).files).toEqual(['a.txt'])
    expect(createMessage({ files: [{ path: 'b.txt' }] }).files).toEqual(['b.txt'])
  })

  test('a message of another copy of the package is a message, a look-alike is not', () => {
    const other = Object.defineProperty({ kind: 'message' }, Symbol.for('@x/flow-engine/value'), {
      value: 'message',
    })
    expect(isMessage(other)).toBe(true)
    expect(isMessage({ kind: 'message', text: 'x' })).toBe(false)
    expect(isData(createMessage('x'))).toBe(false)
  })

  test('fields are read in wire spelling; unknown and mistyped ones go into data', () => {
    const message = readMessage({
      text: 'x',
      sender_name: 'Ann',
      timestamp: '2024-05-01 10:00:00 UTC',
      error: 'no',
      extra: 1,
      __proto__key: 2,
    })
    expect(message).toMatchObject({ text: 'x', senderName: 'Ann', error: false })
    expect(message.timestamp.toISOString()).toBe('2024-05-01T10:00:00.000Z')
    expect(message.data).toEqual({ error: 'no', extra: 1, __proto__key: 2 })
  })
})

describe('toLiteralText (CO-6)', () => {
  test.for([
    ['true', true, 'True'],
    ['null', null, 'None'],
    ['a text is itself', "it's", "it's"],
    ['a quoted text', ["it's", 'say "x"', `both ' and "`], `["it's", 'say "x"', 'both \\' and "']`],
    ['nested', { k: [1, { a: null }], 'x y': false }, "{'k': [1, {'a': None}], 'x y': False}"],
    ['control characters', ['a\n\t\u0001\\'], "['a\\n\\t\\x01\\\\']"],
    ['small numbers', [1e-7, 0.00012, 1.5], '[1e-07, 0.00012, 1.5]'],
    ['large numbers', [1e22, 123456789012], '[10000000000000000000000, 123456789012]'],
    ['other scripts', ['žluť 🐎'], "['žluť 🐎']"],
  ] as const)('%s', ([, value, text]) => {
    expect(toLiteralText(value)).toBe(text)
  })

  test('circular and very deep values terminate', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(toLiteralText(circle)).toBe('[...]')
    let deep: unknown = 1
    for (let i = 0; i < 5000; i += 1) deep = [deep]
    expect(toLiteralText(deep)).toContain('...')
  })
})

describe('toMarkdownTable (CO-5)', () => {
  test('numbers are right-aligned with aligned decimal points, text is left-aligned', () => {
    const frame = createDataFrame([
      { n: 1.5, name: 'a' },
      { n: 22, name: 'long name' },
    ])
    expect(table(frame)).toBe(
      [
        '|    n | name      |',
        '|-----:|:----------|',
        '|  1.5 | a         |',
        '| 22   | long name |',
      ].join('\n'),
    )
  })

  test('missing cells print as nan, empty ones as nothing, and pipes are escaped', () => {
    const frame = createDataFrame([{ a: 'x|y', b: 'z' }, { a: null }])
    expect(table(frame)).toBe(
      ['| a    | b   |', '|:-----|:----|', '| x\\|y | z   |', '|      | nan |'].join('\n'),
    )
  })

  test('a table without rows has a plain delimiter row', () => {
    expect(table(createDataFrame([], ['a', 'b']))).toBe('| a   | b   |\n|-----|-----|')
  })
})

describe('conversions (CO-5)', () => {
  const rows = [{ a: 1 }, { a: 2, b: 'x' }]

  test('to a message: the text key, else the literal form; a table becomes markdown', () => {
    expect(toMessage(createData({ body: 'b' }, { textKey: 'body' })).text).toBe('b')
    expect(toMessage(createData({ k: 1 })).text).toBe("{'k': 1}")
    expect(toMessage(createDataFrame([{ a: 'l1\nl2' }])).text).toContain('l1<br/>l2')
  })

  test('to data: the rows of a table are stored under results', () => {
    expect(toData(createDataFrame(rows)).data).toEqual({ results: rows })
    expect(toData(createMessage('t')).data).toEqual({ text: 't' })
  })

  test('to a table: a single list of objects becomes the rows, other data one row', () => {
    expect(toDataFrame(createData({ items: rows }))).toMatchObject({ rows, columns: ['a', 'b'] })
    expect(toDataFrame(createData({ items: [] })).rows).toEqual([{ items: [] }])
    expect(toDataFrame([createData({ a: 1 }), createData({ b: 2 })]).columns).toEqual(['a', 'b'])
  })

  test('CO-3: as plain values the rows of a table have null for missing cells', () => {
    expect(toPlain(createDataFrame([{ a: 1 }, { b: 2 }]))).toEqual([
      { a: 1, b: null },
      { a: null, b: 2 },
    ])
    const complete = { b: 1, a: 2 }
    expect(toPlain(createDataFrame([{ a: 1, b: 2 }, complete]))).toHaveProperty([1], complete)
  })

  test('a list that mixes Data and objects is refused (CO-3)', () => {
    expect(() => toDataFrame([createData({}), {}])).toThrow(
      'List items must be either all Data objects or all dictionaries',
    )
  })
})

describe('toText (CO-6)', () => {
  test('strings lose blank lines, messages keep them', () => {
    expect(toText('a\n \n\n\nb')).toBe('a\n\nb')
    expect(toText(createMessage('a\n\n\n\nb'))).toBe('a\n\n\n\nb')
  })

  test('data is JSON in a code fence', () => {
    expect(toText(createData({ n: 1 }))).toBe('```json\n{\n  "n": 1\n}\n```')
  })

  test('cleaning drops empty rows and collapses newlines, only on request', () => {
    const frame = createDataFrame([{ a: 'x\n\ny' }, { a: null }])
    expect(toText(frame, { cleanData: true })).toBe('| a   |\n|:----|\n| x   |\n| y   |')
    expect(toText(createDataFrame([{ a: ' ' }]))).toBe('| a   |\n|:----|\n|     |')
  })
})

describe('AB-37 large tables as text', () => {
  test(
    'converts hundreds of thousands of rows, and a long string of digits that is not a number',
    { tags: ['long'] },
    () => {
      const rows = Array.from({ length: 200_000 }, (_, index) => ({ a: index, b: 'x' }))
      expect(table(createDataFrame(rows)).split('\n')).toHaveLength(200_002)
      const digits = createDataFrame([{ a: `${'1'.repeat(300_000)}x` }])
      expect(table(digits)).toContain('11x')
    },
  )

  test('one long cell beside many short ones does not exhaust memory', () => {
    const rows = Array.from({ length: 5000 }, (_, index) => ({
      a: index === 0 ? 'x'.repeat(1_000_000) : 'y',
    }))
    expect(() => table(createDataFrame(rows))).toThrow('more than 16777216 characters')
    const lines = createDataFrame([{ a: `z${'\n'.repeat(500_000)}${'x'.repeat(500_000)}y` }])
    expect(() => table(lines)).toThrow('more than 16777216 characters')
    const digits = rows.map(({ a }) => ({ a: a === 'y' ? '1' : `1.${'1'.repeat(1_000_000)}` }))
    expect(() => table(createDataFrame(digits))).toThrow('more than 16777216 characters')
  })

  test(
    'a long cell that all rows share is not cleaned for each of them',
    { tags: ['long'] },
    () => {
      // Cleaned 50,000 times, the text would take minutes.
      const cell = '[\n'.repeat(200_000)
      const frame = createDataFrame(Array.from({ length: 50_000 }, () => ({ a: cell })))
      expect(() => toMessage(frame)).toThrow('more than 16777216 characters')
      expect(() => table(frame)).toThrow('more than 16777216 characters')
    },
  )
})

for (const [text, rows, options] of smallAndFull(10_000, 100_000))
  test.each([
    ['a text', toTextInTurns, (frame: DataFrame) => toText(frame)],
    [
      'a message',
      async (frame: DataFrame) => (await toMessageInTurns(frame)).text,
      (frame: DataFrame) => toMessage(frame).text,
    ],
  ])(
    `AB-29 a table of ${text} rows becomes %s with turns for others`,
    options,
    async (_kind, write, atOnce) => {
      const frame = createDataFrame(
        Array.from({ length: rows }, (_, at) => ({ name: `row ${at}`, at, b: null })),
      )
      const { turns, result } = await turnsDuring(() => write(frame))
      expect(result).toBe(atOnce(frame))
      expect(turns).toBeGreaterThan(rows / 2_000)
    },
  )
