import {
  createData,
  createDataFrame,
  createMessage,
  type Data,
  type DataFrame,
} from '@x/flow-engine'

/** A hostile value of about `n` characters or values. */
export type Shape<T> = (n: number) => T

/** Deeper values cannot be written as text by recursion. */
const DEEP = 10_000

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => make(at))

/** Texts, as a visitor of a chat sends them. */
export const TEXTS: Readonly<Record<string, Shape<string>>> = {
  letters: (n) => 'a'.repeat(n),
  words: (n) => 'so nice '.repeat(n / 8),
  lines: (n) => 'ab\n'.repeat(n / 3),
  blanks: (n) => ' '.repeat(n),
  'blanks and a letter': (n) => `${' '.repeat(n)}a`,
  'empty lines': (n) => '\n'.repeat(n),
  'indented lines': (n) => '\n \t'.repeat(n / 3),
  'one word to a line': (n) => 'k0\n'.repeat(n / 3),
  commas: (n) => ','.repeat(n),
  'a table': (n) => `a,text\n${'1,x\n'.repeat(n / 4)}`,
  'a wide head over short rows': (n) => `${'k,'.repeat(n / 4)}\n${'x\n'.repeat(n / 4)}`,
  'a wide head of different names': (n) =>
    `${times(n / 16, (at) => `k${at}`).join(',')}\n${'x\n'.repeat(n / 4)}`,
  'a table with bars': (n) => `a|text\n-|-\n${'1|x\n'.repeat(n / 4)}`,
  quotes: (n) => '"'.repeat(n),
  'quoted cells': (n) => `a,b\n${'"x""y",'.repeat(n / 7)}`,
  brackets: (n) => '['.repeat(n),
  'balanced brackets': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  braces: (n) => '{'.repeat(n),
  'broken objects': (n) => '{"a":'.repeat(n / 5),
  'places of a template': (n) => '{text}'.repeat(n / 6),
  'places in two braces': (n) => '{{text}}'.repeat(n / 8),
  'unclosed places': (n) => '{a '.repeat(n / 3),
  'half surrogates': (n) => '\uD800'.repeat(n),
  pictures: (n) => '😀'.repeat(n / 2),
  digits: (n) => '9'.repeat(n),
  'powers of ten': (n) => '1e9,'.repeat(n / 4),
  'a sum': (n) => '1+'.repeat(n / 2) + '1',
  parentheses: (n) => '('.repeat(n),
  'open tags': (n) => '<a '.repeat(n / 3),
  addresses: (n) => 'http://a.b/ '.repeat(n / 12),
  backslashes: (n) => '\\'.repeat(n),
  'tripled backticks': (n) => '```json\n'.repeat(n / 8),
  'JSON of a list of rows': (n) =>
    JSON.stringify(times(n / 24, (at) => ({ a: at, text: 'x', b: null }))),
  'JSON of short keys': (n) =>
    JSON.stringify(Object.fromEntries(times(n / 10, (at) => [`k${at}`, 0] as const))),
  'JSON of rows without common keys': (n) =>
    JSON.stringify(times(n / 12, (at) => ({ [`k${at}`]: 0 }))),
  'JSON of a long text': (n) => JSON.stringify({ text: 'a'.repeat(n) }),
  'a command': (n) => `curl http://a.b ${'-H a:b '.repeat(n / 7)}`,
}

const own = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries)

/** Objects, as a component before gives them. */
export const OBJECTS: Readonly<Record<string, Shape<Record<string, unknown>>>> = {
  'a long text': (n) => ({ text: 'a'.repeat(n), a: 'a' }),
  'short keys': (n) => own(times(n / 4, (at) => [`k${at}`, at])),
  'a list of rows': (n) => ({ a: times(n / 8, (at) => ({ a: at % 7, text: 'x', b: null })) }),
  'rows that are equal': (n) => ({ results: times(n / 8, () => ({ a: 1, text: 'x' })) }),
  'rows without common keys': (n) => ({ a: times(n / 8, (at) => ({ [`k${at}`]: 0 })) }),
  'a row with many keys and short rows': (n) => ({
    a: [own(times(n / 8, (at) => [`k${at}`, 0])), ...times(n / 8, () => ({}))],
  }),
  'a list of numbers': (n) => ({ a: times(n / 2, (at) => at) }),
  'a list of texts': (n) => ({ text: times(n / 8, () => 'abc, x'), a: 1 }),
  'objects in one another': (n) => {
    let value: Record<string, unknown> = { text: 'x' }
    for (let level = 0; level < Math.min(n, DEEP); level += 1) value = { a: value, text: 'x' }
    return value
  },
  'lists in one another': (n) => {
    let value: unknown = 'x'
    for (let level = 0; level < Math.min(n, DEEP); level += 1) value = [value]
    return { a: value, text: 'x' }
  },
  'texts that look like literals': (n) => ({
    a: times(n / 8, () => '[1, 2]'),
    text: '['.repeat(n),
  }),
  'names of prototypes': (n) =>
    own([
      ['__proto__', { polluted: 'a'.repeat(n) }],
      ['constructor', { prototype: { polluted: 1 } }],
      ['toString', 'x'],
      ['text', 'x'],
    ]),
  'numbers that are none': (n) => ({
    a: times(n / 8, (at) => [Number.NaN, Infinity, -0, 1e308, 2 ** 53][at % 5]),
    text: '\uD800',
  }),
}

const rowsOf = (value: Record<string, unknown>): Record<string, unknown>[] => {
  const [list] = Object.values(value).filter(Array.isArray) as unknown[][]
  if (list === undefined) return [value]
  return list.map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? (item as Record<string, unknown>)
      : { a: item, text: typeof item === 'string' ? item.slice(0, 20) : 'x' },
  )
}

/** Tables, as a component before gives them. */
export const FRAMES: Readonly<Record<string, Shape<Record<string, unknown>[]>>> = {
  ...Object.fromEntries(
    Object.entries(OBJECTS).map(([name, shape]) => [name, (n: number) => rowsOf(shape(n))]),
  ),
  'rows of different keys': (n) => times(n / 8, (at) => ({ a: `k${at}`, text: `x${at}` })),
  'a square': (n) => {
    const side = Math.sqrt(n)
    return times(side, (row) => own(times(side, (at) => [`k${at}`, row])))
  },
  'one long cell': (n) => [
    { a: 'a'.repeat(n), text: 'x' },
    ...times(n / 50, () => ({ a: 'b', text: 'x' })),
  ],
  'cells with line breaks': (n) => times(n / 16, () => ({ a: '\n\n\n', text: 'x\ny' })),
}

/** What an edge may bring, by the name of its type. */
export const EDGES: Readonly<
  Record<string, (n: number) => Readonly<Record<string, () => unknown>>>
> = {
  Message: (n) => lazily(TEXTS, (text) => createMessage(text), n),
  Data: (n) => lazily(OBJECTS, (object): Data => createData(object), n),
  DataFrame: (n) => lazily(FRAMES, (rows): DataFrame => createDataFrame(rows), n),
  text: (n) => lazily(TEXTS, (text) => text, n),
  object: (n) => lazily(OBJECTS, (object) => object, n),
  rows: (n) => lazily(FRAMES, (rows) => rows, n),
  'list of Data': (n) => lazily(FRAMES, (rows) => rows.map((row) => createData(row)), n),
  'list of Message': (n) => ({
    'short messages': () => times(n / 8, () => createMessage('x')),
  }),
  'list of text': (n) => ({
    'short texts': () => times(n / 4, (at) => `k${at % 50}`),
    'equal texts': () => times(n / 4, () => 'a'),
    'a long text': () => ['a'.repeat(n)],
  }),
}

function lazily<T, R>(
  shapes: Readonly<Record<string, Shape<T>>>,
  make: (value: T) => R,
  n: number,
): Record<string, () => R> {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, () => make(shape(n))]),
  )
}
