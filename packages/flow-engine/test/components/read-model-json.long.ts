// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { readModelJson } from '../../src/graph/values/read-model-json.ts'

const MANY = 1_000_000

/** Texts that a repair with a second look at each place would take minutes for. */
const HOSTILE = [
  '[',
  '{"a":',
  '"',
  '\\',
  '["',
  '{"',
  '["\\',
  '{"a": "',
  '[/*',
  '{,',
  '[“',
  "['x",
  '```\n',
]

test.each(HOSTILE)('FF-51: 1 MB of %j ends', (piece) => {
  for (const text of [piece.repeat(MANY / piece.length), piece + piece.slice(-1).repeat(MANY)]) {
    expect(outcomeOf(text)).toMatch(
      /^(?:a value|TypeError: Invalid JSON string: (?:cannot|too).*)$/s,
    )
  }
})

function outcomeOf(text: string): string {
  try {
    return readModelJson(text) === undefined ? 'nothing' : 'a value'
  } catch (error) {
    return String(error)
  }
}
