import { expect, test } from 'vitest'
import { cutJson } from './cut-json.ts'

const sources = (text: string): string[] => cutJson(text).map(({ source }) => source)

test('FF-51: documents are cut out of the text around them, with quotes respected', () => {
  expect(sources('Here: {"a": "}"} and [1, "]"] done')).toEqual(['{"a": "}"}', '[1, "]"]'])
  expect(sources('{"a": {"b": [1')).toEqual(['{"a": {"b": [1'])
  expect(sources('no brackets')).toEqual([])
})

test('FF-51: comments go', () => {
  const [one] = cutJson('{"a": 1 /* c */, "b": 2}')
  expect(JSON.parse(one?.text ?? '')).toEqual({ a: 1, b: 2 })
})

test('FF-51: depth and number of documents are bounded', () => {
  expect(() => cutJson('['.repeat(201))).toThrow('too deep')
  expect(() => cutJson('[]'.repeat(10_001))).toThrow('too large')
})
