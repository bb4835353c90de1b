import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '@x/surface-protocol'
import {
  basicFunctionNames,
  evaluateFunction,
  parseExpression,
} from '@x/surface-protocol/functions'
import { costOf } from './cost.ts'

const folder = new URL('../../../../shared/reference/a2ui/conformance/', import.meta.url)
const isThere = existsSync(folder)
const casesOf = (file: string): Case[] =>
  isThere ? JSON.parse(readFileSync(new URL(file, folder), 'utf8')).cases : []

type Case = {
  name: string
  action?: string
  function?: string
  args?: JsonObject
  protocolVersion?: string
  input?: string
  expect?: JsonValue
  surface?: object
  expectError?: { message?: string }
}
/** Bindings and calls of 1.0 in the form of 0.9.1. */
const plain = (value: JsonObject): JsonObject => unprefixed(value) as JsonObject
const unprefixed = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(unprefixed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(/^@(?!@)/, ''), unprefixed(item)]),
  )
}

describe.runIf(isThere)('public cases', () => {
  const outcome = (work: () => unknown) => {
    try {
      return work()
    } catch (error) {
      return error
    }
  }
  test.each(casesOf('expressions.json'))('SN-35: $name', (one) => {
    const result = outcome(() => parseExpression(one.input ?? ''))
    const { message = '' } = one.expectError ?? {}
    const isRight = result instanceof Error ? result.message.includes(message) : true
    expect(isRight).toBe(true)
    expect(result instanceof Error ? undefined : result).toEqual(one.expect)
  })

  const calls = casesOf('functions.json').filter(
    (one) => one.action === 'evaluate_function' && one.protocolVersion !== 'v1.0',
  )
  test.each(calls)('SN-32 SN-34: $name', (one) => {
    const result = outcome(() => evaluateFunction(one.function ?? '', plain(one.args ?? {})))
    const failure = expect.objectContaining({ name: 'SurfaceError' }) as unknown
    expect(result).toEqual(one.expectError === undefined ? one.expect : failure)
  })
})

describe('functions', () => {
  const call = (name: string, args: JsonObject, options = {}) =>
    evaluateFunction(name, args, options)
  const codeOf = (name: string, args: JsonObject, options = {}) => {
    try {
      return call(name, args, options)
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test('SN-32: there are 14, and no others', () => {
    expect([...basicFunctionNames].toSorted()).toEqual(
      'and email formatCurrency formatDate formatNumber formatString length not numeric openUrl or pluralize regex required'.split(
        ' ',
      ),
    )
    for (const name of ['add', 'equals', 'contains', 'toString', '__proto__']) {
      expect(codeOf(name, { value: 1 })).toBe('unknown_function')
    }
  })

  test('SN-33: arguments are resolved first; and, or stop at the first decision; all of it is bounded', () => {
    const data = { who: 'Ida', sum: 12.5, items: [{ n: 1 }, { n: 2 }] }
    const template = "${/who} owes ${formatCurrency(value: /sum, currency: 'EUR')}"
    expect(call('formatString', { value: template }, { data })).toBe('Ida owes €12.50')
    expect(
      call('formatString', { value: '${n} of ${/items/0/n}' }, { data, scope: '/items/1' }),
    ).toBe('2 of 1')
    let asked = 0
    const functions = { ask: () => (asked += 1) }
    const ask = { call: 'ask' }
    expect(call('or', { values: [false, ask, ask] }, { functions })).toBe(true)
    expect(call('and', { values: [0, ask] }, { functions })).toBe(false)
    expect(asked).toBe(1)
    let nested: JsonObject = { call: 'not', args: { value: true } }
    for (let n = 0; n < 40; n += 1) nested = { call: 'not', args: { value: nested } }
    expect(codeOf('not', { value: nested })).toBe('limit_exceeded')
    const wide = Array.from({ length: 10_001 }, () => ({ call: 'not', args: { value: true } }))
    expect(codeOf('or', { values: wide })).toBe('limit_exceeded')
    const big = { a: 'x'.repeat(600_000) }
    expect(codeOf('formatString', { value: '${/a}${/a}' }, { data: big })).toBe('limit_exceeded')
  })

  test('SN-34: errors of host functions are not shown; a promise is not a value', () => {
    const functions = {
      bad: () => {
        throw new Error('secret')
      },
      later: () => Promise.resolve(1),
      upper: ({ value }: JsonObject) => JSON.stringify(value).toUpperCase(),
    }
    expect(call('upper', { value: { path: '/a' } }, { functions, data: { a: 'x' } })).toBe('"X"')
    for (const name of ['bad', 'later']) {
      expect(() => call(name, {}, { functions })).toThrow(
        expect.objectContaining({
          code: 'function_failed',
          detail: expect.not.stringContaining('secret') as string,
        }),
      )
    }
  })

  test('SN-34: required arguments, patterns and addresses', async () => {
    expect(codeOf('length', { value: 'abc' })).toBe('invalid_argument')
    expect(codeOf('and', { values: [true] })).toBe('invalid_argument')
    expect(codeOf('regex', { value: 'a', pattern: '(' })).toBe('function_failed')
    expect(codeOf('regex', { value: 'a', pattern: '(?=a)' })).toBe('function_failed')
    expect(codeOf('regex', { value: 'a', pattern: 'a'.repeat(513) })).toBe('function_failed')
    expect(codeOf('regex', { value: 'a'.repeat(10_001), pattern: 'a' })).toBe(false)
    expect(codeOf('openUrl', { url: 'javascript:alert(1)' })).toBe('function_failed')
    expect(codeOf('openUrl', { url: 'https://host.example' })).toBeNull()
    expect(codeOf('formatCurrency', { value: 1, currency: 'nope' })).toBe('function_failed')
    const slow = { value: `${'a'.repeat(9999)}!`, pattern: '(a+)+$' }
    expect(await costOf(() => expect(codeOf('regex', slow)).toBe(false))).toBeLessThan(5000)
  })

  test('SN-36: dates', () => {
    const format = (value: JsonValue, pattern: string, options = {}) =>
      call('formatDate', { value, format: pattern }, options)
    const value = '2026-02-03T04:05:06.789Z'
    expect(format(value, 'ISO')).toBe(value)
    expect(format(value, "yyyy yy MMMM MMM MM M EEEE E dd d HH H hh h mm ss a 'at' ''")).toBe(
      "2026 26 February Feb 02 2 Tuesday Tue 03 3 04 4 04 4 05 06 AM at '",
    )
    expect(format('2026-02-30', 'yyyy')).toBe('')
    expect(format('soon', 'yyyy')).toBe('')
    expect(format('2026-02-03', 'ISO')).toBe('2026-02-03T00:00:00.000Z')
    expect(format('2026-02-03T10:00:00+02:00', 'HH:mm')).toBe('08:00')
    expect(format(0, 'yyyy-MM-dd')).toBe('1970-01-01')
    expect(format(value, 'd.M. HH:mm', { timeZone: 'Asia/Tokyo' })).toBe('3.2. 13:05')
    expect(format(value, 'MMMM', { locale: 'de-DE' })).toBe('Februar')
  })

  test('SN-39: locale and time zone are those of the call', () => {
    const { env } = process
    const before = env.TZ
    env.TZ = 'America/New_York'
    const formatted = call('formatDate', { value: '2026-01-01T00:00:00Z', format: 'yyyy-MM-dd HH' })
    if (before === undefined) delete env.TZ
    else env.TZ = before
    expect(formatted).toBe('2026-01-01 00')
    expect(call('formatNumber', { value: 1234.5 }, { locale: 'de-DE' })).toBe('1.234,5')
    expect(() => call('formatNumber', { value: 1 }, { timeZone: 'Nowhere/At_All' })).toThrow(
      RangeError,
    )
  })
})
