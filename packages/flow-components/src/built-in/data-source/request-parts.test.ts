import { describe, expect, test } from 'vitest'
import { createData } from '@x/flow-engine'
import { bodyOf, headersOf, queryParams, requestUrl } from './request-parts.ts'

describe('requestUrl (CO-52)', () => {
  test.each([
    ['host.example/a', {}, 'https://host.example/a'],
    [' http://host.example ', {}, 'http://host.example'],
    ['http://h.example/a?z=0&a=old#top', { a: 'new' }, 'http://h.example/a?z=0&a=new#top'],
    ['http://h.example', { q: 'x y', n: 5 }, 'http://h.example?q=x+y&n=5'],
  ])('completes the address %s with the parameters %j', (url, params, expected) => {
    expect(requestUrl(url, params)).toBe(expected)
  })

  test('blank and invalid addresses are refused', () => {
    expect(() => requestUrl(' ', {})).toThrow('URL cannot be empty')
    expect(() => requestUrl('http://no spaces/', {})).toThrow(
      'Invalid URL provided: http://no spaces/',
    )
    expect(() => requestUrl('http://', {})).toThrow('Invalid URL provided: http://')
  })
})

describe('parts of a request (CO-52)', () => {
  test('query parameters are read from data or a string', () => {
    expect(queryParams(createData({ a: 1 }))).toEqual({ a: 1 })
    expect(queryParams('a=1&b=x%20y')).toEqual({ a: '1', b: 'x y' })
    expect(queryParams(null)).toEqual({})
  })

  test('a body of rows parses JSON strings and skips other rows', () => {
    const rows = [
      { key: 'n', value: '5' },
      { key: 'none', value: 'null' },
      { key: 'list', value: '[1, 2]' },
      { key: 'text', value: 'five' },
      { other: 1 },
    ]
    expect(bodyOf(rows)).toEqual({ n: 5, none: null, list: [1, 2], text: 'five' })
  })

  test('a body is built from data', () => {
    expect(bodyOf([createData({ q: 'x', n: '5' })])).toEqual({ q: 'x', n: 5 })
    expect(bodyOf([createData({ key: 'q', value: '1' })])).toEqual({ q: 1 })
  })

  test('headers are built from rows', () => {
    expect(headersOf([{ key: 'X-A', value: 1 }, { key: 'X-B' }])).toEqual({ 'X-A': '1' })
  })
})
