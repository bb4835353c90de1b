import { expect, test } from 'vitest'
import { isVisibleName } from './visible-name.ts'

test.each([
  ['a zero-width space', '\u200B'],
  ['a zero-width joiner', '\u200D'],
  ['a direction override', '\u202E'],
  ['an isolate', '\u2066'],
  ['a byte order mark', '\uFEFF'],
  ['a soft hyphen', '\u00AD'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector', '\uFE0F'],
  ['a tag character', '\u{E0061}'],
  ['a no-break space', '\u00A0'],
  ['a line separator', '\u2028'],
  ['a control character', '\u0007'],
  ['half of a surrogate pair', '\uD800'],
])('a name that contains %s is refused', (_, character) => {
  expect(isVisibleName(`adm${character}in`)).toBe(false)
})

test.each([
  'admin',
  'Ada Lovelace',
  'ada+1@example.com',
  'Zoë',
  'Зоя',
  '李小龍',
  'नेहा',
  'e\u0301',
])('%s is accepted as a name', (name) => {
  expect(isVisibleName(name)).toBe(true)
})
