import { expect, test } from 'vitest'
import { formatSseComment, formatSseFrame } from './sse-frame.ts'

test('a frame has its id, its name and its data, and ends with a blank line', () => {
  expect(formatSseFrame({ data: '{}' })).toBe('data: {}\n\n')
  expect(formatSseFrame({ id: '7', event: 'end', data: '{}' })).toBe(
    'id: 7\nevent: end\ndata: {}\n\n',
  )
})

test('each line of the data is a field of its own', () => {
  expect(formatSseFrame({ data: 'one\n\ntwo' })).toBe('data: one\ndata: \ndata: two\n\n')
})

test('a comment begins with a colon', () => {
  expect(formatSseComment('wait')).toBe(': wait\n\n')
})
