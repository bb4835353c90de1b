import { describe, expect, test } from 'vitest'
import { parseStructure } from './type-converter.ts'

describe('parseStructure (CO-55)', () => {
  test.each([
    ['an object', '\uFEFF {"a": 1}', { a: 1 }],
    ['a list of objects', '[{"a": 1}]', { records: [{ a: 1 }] }],
    ['an empty list', '[]', { records: [] }],
    ['a list of numbers', '[1, 2]', { text: '[1, 2]' }],
    ['a number', '7', { text: '7' }],
    ['a table', 'a,b\n1,x', { records: [{ a: 1, b: 'x' }] }],
    ['one line with a comma', 'hello, world', { text: 'hello, world' }],
    ['lines without commas', 'a\nb', { text: 'a\nb' }],
    ['lines of which the first has no comma', 'a\nb,c', { text: 'a\nb,c' }],
    [
      'lines that are not a table',
      'Dear Ann,\nhow, are, you?',
      { text: 'Dear Ann,\nhow, are, you?' },
    ],
    ['a blank text, unchanged', '  ', { text: '  ' }],
  ])('%s', async (_name, text, data) => {
    expect((await parseStructure(text)).data).toEqual(data)
  })
})
