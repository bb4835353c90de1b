import { expect, test } from 'vitest'
import { joinStoredTokens } from './job-event.ts'

const token = (seq: number, id: string, chunk = String(seq)) => ({
  seq,
  event: 'token',
  data: JSON.stringify({ chunk, id }),
})

test('FE-68: neighbouring tokens of one message are joined and get the number of the last', () => {
  const other = { seq: 3, event: 'add_message', data: '{}' }
  const events = [token(0, 'a'), token(1, 'a'), token(2, 'b'), other, token(4, 'b'), token(5, 'b')]
  expect(joinStoredTokens(events, 100)).toEqual([
    token(1, 'a', '01'),
    token(2, 'b'),
    other,
    token(5, 'b', '45'),
  ])
})

test('FE-64, FE-68: tokens are joined up to a maximum of characters', () => {
  const events = [0, 1, 2, 3, 4].map((seq) => token(seq, 'a'))
  expect(joinStoredTokens(events, 2)).toEqual([
    token(1, 'a', '01'),
    token(3, 'a', '23'),
    token(4, 'a', '4'),
  ])
})
