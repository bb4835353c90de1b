import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createSurfaceStore, defaultLimits, type JsonObject } from '@x/surface-protocol'
import { create, define, text, version, write } from './v09-messages.ts'

const storeWith = (limits: Partial<typeof defaultLimits>) => {
  const store = createSurfaceStore({ version, limits })
  store.apply(create())
  return store
}
/** Calls of `not` within each other. */
const nested = (depth: number): JsonObject => ({
  call: 'not',
  args: { value: depth === 1 ? true : nested(depth - 1) },
})
const errorOf = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}

describe('SP-88: the limit that is exceeded is named, and nothing is changed', () => {
  test('callDepth, in a component and in an evaluation', () => {
    const store = storeWith({ callDepth: 3 })
    expect(store.apply(define(text('root', nested(3)))).applied).toBe(true)
    const { applied, diagnostics } = store.apply(define(text('root', nested(4))))
    expect(applied).toBe(false)
    expect(diagnostics).toMatchObject([{ code: 'limit_exceeded', limit: 'callDepth' }])
    expect(store.get('s')?.components).toMatchObject([{ id: 'root', text: nested(3) }])
    expect(store.evaluate('s', nested(3))).toBe(false)
    expect(errorOf(() => store.evaluate('s', nested(4)))).toMatchObject({
      code: 'limit_exceeded',
      limit: 'callDepth',
    })
  })

  test('evaluationSteps', () => {
    const store = storeWith({ evaluationSteps: 4 })
    const calls = (count: number) => Array.from({ length: count }, () => nested(1))
    expect(store.evaluate('s', calls(4))).toEqual([false, false, false, false])
    expect(errorOf(() => store.evaluate('s', calls(5)))).toMatchObject({
      code: 'limit_exceeded',
      limit: 'evaluationSteps',
    })
    expect(store.evaluate('s', calls(4))).toHaveLength(4)
  })

  test('textLength, of a result and of a text that is being joined', () => {
    const store = storeWith({ textLength: 10 })
    store.apply(write('/', { a: 'x'.repeat(6) }))
    const joined = (value: string): JsonObject => ({ call: 'formatString', args: { value } })
    expect(store.evaluate('s', joined('${/a}1234'))).toBe('xxxxxx1234')
    for (const value of ['${/a}12345', '${/a}${/a}']) {
      expect(errorOf(() => store.evaluate('s', joined(value)))).toMatchObject({
        code: 'limit_exceeded',
        limit: 'textLength',
      })
    }
  })

  test('arrayIndex', () => {
    const store = storeWith({ arrayIndex: 4 })
    store.apply(write('/', { list: [0] }))
    expect(store.apply(write('/list/4', 1)).applied).toBe(true)
    const before = store.getData('s', '/list')
    const { applied, diagnostics } = store.apply(write('/list/20', 1))
    expect(applied).toBe(false)
    expect(diagnostics).toMatchObject([{ code: 'limit_exceeded', limit: 'arrayIndex' }])
    expect(store.getData('s', '/list')).toEqual(before)
  })

  test('checksPerComponent', () => {
    const store = storeWith({ checksPerComponent: 2 })
    const field = (count: number) => ({
      id: 'root',
      component: 'TextField',
      label: 'Name',
      checks: Array.from({ length: count }, () => ({ condition: true, message: 'No' })),
    })
    expect(store.apply(define(field(2))).diagnostics).toEqual([])
    const { applied, diagnostics } = store.apply(define(field(3)))
    expect(applied).toBe(false)
    expect(diagnostics).toMatchObject([{ code: 'limit_exceeded', limit: 'checksPerComponent' }])
  })

  test('regexLength, whose pattern counts as one that cannot be used', () => {
    const store = storeWith({ regexLength: 5 })
    const match = (pattern: string): JsonObject => ({
      call: 'regex',
      args: { value: 'aaaaaaa', pattern },
    })
    expect(store.evaluate('s', match('^aaa+'))).toBe(true)
    // A pattern that cannot be used has its own code.
    expect(errorOf(() => store.evaluate('s', match('^aaaa+')))).toMatchObject({
      code: 'function_failed',
    })
  })
})

describe('limits are given as positive integers', () => {
  test.each([0, -1, 1.5, Number.NaN, Infinity, '5'])('SP-88: %s is refused', (value) => {
    expect(() => createSurfaceStore({ limits: { surfaces: value as number } })).toThrow(
      new TypeError('The limit "surfaces" must be a positive integer'),
    )
  })

  test('SP-88: an unknown name is refused, undefined keeps the default', () => {
    expect(() => createSurfaceStore({ limits: { surface: 5 } as object })).toThrow(
      new TypeError('Unknown limit "surface"'),
    )
    const given = { surfaces: undefined } as unknown as Partial<typeof defaultLimits>
    const store = createSurfaceStore({ version, limits: given })
    expect(store.apply(create()).applied).toBe(true)
  })
})

test('SP-88: the reference page lists every limit with its default', () => {
  const page = readFileSync(
    new URL('../../../docs/reference/surface-limits.md', import.meta.url),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| (\w+) +\| ([\d,]+) +\|/gm)]
  const listed = rows.map(([, name, value]) => [name, Number(value?.replaceAll(',', ''))])
  expect(Object.fromEntries(listed)).toEqual(defaultLimits)
})
