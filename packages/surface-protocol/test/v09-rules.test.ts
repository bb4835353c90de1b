import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  checkSurface,
  createSurfaceStore,
  SurfaceError,
  type SurfaceLimits,
} from '@x/surface-protocol'
import { evaluateFunction } from '@x/surface-protocol/functions'
import { extractBlocks, parseBlock } from '@x/surface-protocol/llm'
import { begun, codesOf, create, define, text, version, write } from './v09-messages.ts'

const dataAfter = (...messages: object[]) => begun(...messages).get('s')?.data

describe('SN-15: a step that finds an error ends the sequence', () => {
  const shout = { call: 'shout', args: {} }

  test('SN-15 steps 7 and 8: properties are judged before calls, for all components', () => {
    const both = define(text('root', shout), { ...text('b', 'x'), colour: 'red' })
    expect(codesOf(both)).toEqual(['invalid_property /updateComponents/components/1/colour'])
    const calls = define(text('root', shout), text('b', shout))
    expect(codesOf(calls)).toEqual([
      'unknown_function /updateComponents/components/0/text/call',
      'unknown_function /updateComponents/components/1/text/call',
    ])
  })

  test('SN-15 steps 8 and 10: calls are judged before the graph', () => {
    const column = (id: string, ...children: string[]) => ({ id, component: 'Column', children })
    const loop = [column('root', 'a'), column('a', 'root')]
    expect(codesOf(define(...loop, text('b', shout)))).toEqual([
      'unknown_function /updateComponents/components/2/text/call',
    ])
    expect(codesOf(define(...loop))[0]).toMatch(/^circular_reference/)
  })
})

describe('SN-22: pointers', () => {
  test.each([
    ['/a~1b', { 'a/b': 1 }],
    ['/a~01', { 'a~1': 1 }],
    ['/a/', { a: 1 }],
    ['/a//b', { a: { b: 1 } }],
    ['/__proto__/x', JSON.parse('{"__proto__":{"x":1}}')],
  ])('SN-22 %s', (path, data) => {
    expect(JSON.stringify(dataAfter(write(path, 1)))).toBe(JSON.stringify(data))
  })

  test.each(['a', 'a/b', '/~2', '/~', '.'])('SN-22 %s is not a path', (path) => {
    expect(codesOf(write(path, 1))).toEqual(['invalid_path /updateDataModel/path'])
  })

  test('SN-22 the root is "/" and ""', () => {
    expect(dataAfter(write('/', { a: 1 }))).toEqual({ a: 1 })
    expect(dataAfter(write('', { a: 2 }))).toEqual({ a: 2 })
  })
})

describe('SN-23: writes', () => {
  test.each([
    ['/rows/0/n', { rows: [{ n: 1 }] }],
    ['/rows/12', { rows: [...Array.from({ length: 12 }, () => null), 1] }],
    ['/rows/01', { rows: { '01': 1 } }],
    ['/rows/-1', { rows: { '-1': 1 } }],
    ['/rows/1e3', { rows: { '1e3': 1 } }],
  ])('SN-23 %s makes what is missing', (path, data) => {
    expect(dataAfter(write(path, 1))).toEqual(data)
  })

  test('SN-23 null on the way is missing, a scalar is a conflict', () => {
    expect(dataAfter(write('/', { a: null }), write('/a/b', 1))).toEqual({ a: { b: 1 } })
    const store = begun(write('/', { a: 1, rows: [1] }))
    expect(codesOf(write('/a/b', 1), store)[0]).toMatch(/^path_conflict/)
    expect(codesOf(write('/rows/x', 1), store)[0]).toMatch(/^path_conflict/)
    expect(store.get('s')?.data).toEqual({ a: 1, rows: [1] })
  })
})

describe('SN-72: limits', () => {
  const limited = (limits: Partial<SurfaceLimits>) => {
    const store = createSurfaceStore({ version, catalogs: [basicCatalogV09], limits })
    store.apply(create())
    return store
  }
  const not = (depth: number): object =>
    depth === 0 ? { path: '/a' } : { call: 'not', args: { value: not(depth - 1) } }

  test('SN-72 callDepth: calls in calls', () => {
    const store = limited({ callDepth: 3 })
    expect(codesOf(define(text('root', not(3))), store)).toEqual([])
    expect(codesOf(define(text('root', not(4))), store)[0]).toMatch(/^limit_exceeded/)
  })

  test('SN-72 checksPerComponent', () => {
    const store = limited({ checksPerComponent: 2 })
    const check = { condition: { path: '/a' }, message: 'No.' }
    const field = (count: number) => ({
      id: 'root',
      component: 'TextField',
      label: 'x',
      checks: Array.from({ length: count }, () => check),
    })
    expect(codesOf(define(field(2)), store)).toEqual([])
    expect(codesOf(define(field(3)), store)[0]).toMatch(/^limit_exceeded/)
  })

  test('SN-72 arrayIndex: places beyond the end of an array', () => {
    const store = limited({ arrayIndex: 5 })
    expect(codesOf(write('/rows/5', 1), store)).toEqual([])
    expect(codesOf(write('/rows/20', 1), store)[0]).toMatch(/^limit_exceeded/)
    expect(store.get('s')?.data).toEqual({ rows: [null, null, null, null, null, 1] })
  })

  test('SN-72 textLength and evaluationSteps limit an evaluation', () => {
    const store = limited({ textLength: 10, evaluationSteps: 3 })
    store.apply(write('/', { long: 'x'.repeat(8) }))
    const format = (value: string) => ({ call: 'formatString', args: { value } })
    const codeOf = (value: object): string => {
      try {
        store.evaluate('s', value as never)
        return 'none'
      } catch (error) {
        return error instanceof SurfaceError ? error.code : String(error)
      }
    }
    expect(codeOf(format('${/long}'))).toBe('none')
    expect(codeOf(format('${/long}${/long}'))).toBe('limit_exceeded')
    expect(codeOf(not(2))).toBe('none')
    expect(codeOf(not(6))).toBe('limit_exceeded')
  })

  test('SN-72 regexLength: a pattern that is too long holds for nothing', () => {
    const store = limited({ regexLength: 5 })
    const field = (pattern: string) => ({
      id: 'root',
      component: 'TextField',
      label: 'x',
      value: { path: '/a' },
      checks: [
        { condition: { call: 'regex', args: { value: { path: '/a' }, pattern } }, message: 'No.' },
      ],
    })
    store.apply(write('/', { a: 'aaaaaa' }))
    store.apply(define(field('a{5}')))
    expect(checkSurface(store, 's')).toEqual([])
    store.apply(define(field('aaaaaa')))
    expect(checkSurface(store, 's')).toMatchObject([{ message: 'No.' }])
  })

  test('SN-72 the defaults stop work in time', () => {
    expect(() =>
      evaluateFunction('regex', { value: 'a'.repeat(9999), pattern: 'a'.repeat(513) }, { version }),
    ).toThrow(SurfaceError)
  })
})

describe('SN-66: blocks of a text', () => {
  test('SN-66 texts and blocks in order; a closing tag in a string is text', () => {
    const said =
      'Look: <a2ui-json>[{"a":"</a2ui-json>"}]</a2ui-json> and <a2ui-json>\n```json\n{}\n```\n</a2ui-json>'
    expect(extractBlocks(said)).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'block', raw: '[{"a":"</a2ui-json>"}]' },
      { kind: 'text', text: 'and' },
      { kind: 'block', raw: '{}' },
    ])
    expect(extractBlocks('<x>[1', { tag: 'x' })).toEqual([
      { kind: 'block', raw: '[1', truncated: true },
    ])
    expect(extractBlocks('no block')).toEqual([{ kind: 'text', text: 'no block' }])
  })

  test('SN-66 a block gives its messages and repairs', () => {
    const message = create()
    const raw = JSON.stringify([message])
    expect(parseBlock(raw, { version })).toEqual({ messages: [message], repairs: [] })
    const broken = `${raw.slice(0, -1)},]`
    const { messages, repairs } = parseBlock(broken, { version, catalogs: [basicCatalogV09] })
    expect(messages).toEqual([message])
    expect(repairs).toEqual(['trailing comma'])
    expect(parseBlock(JSON.stringify({ messages: [message] }), { version }).messages).toEqual([
      message,
    ])
  })

  test.each([
    ['', 'malformed_json'],
    ['   ', 'malformed_json'],
    ['not json at all {{{', 'malformed_json'],
    ['"a text"', 'malformed_json'],
    ['[{"createSurface":{}}]', 'missing_field'],
    ['[{"version":"v7","createSurface":{}}]', 'unsupported_version'],
    [JSON.stringify(create('')), 'invalid_value'],
  ])('SN-66 %j is %s', (raw, code) => {
    expect(() => parseBlock(raw, { version })).toThrow(expect.objectContaining({ code }))
  })
})
