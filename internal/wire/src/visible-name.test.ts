import { expect, test } from 'vitest'
import { nameProblem } from './visible-name.ts'

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
  expect(nameProblem(`adm${character}in`)).toBe('must not contain invisible characters')
})

test.each([
  ['a space at its end', 'admin '],
  ['a space at its beginning', ' admin'],
  ['two spaces in a row', 'Ada  Lovelace'],
])('a name with %s is refused', (_, name) => {
  expect(nameProblem(name)).toContain('space')
})

test.each([
  ['a Cyrillic letter', '\u0430dmin'],
  ['a Greek letter', 'admi\u03BD'],
  ['a Cherokee letter', '\u13AAda'],
  ['an Armenian letter in the second word', 'the \u0585ffice'],
])('a name with %s among Latin ones is refused', (_, name) => {
  expect(nameProblem(name)).toContain('scripts')
})

test.each([
  'admin',
  'Ada Lovelace',
  'ada+1@example.com',
  'Zoë',
  'Зоя',
  'зоя@example.com',
  'Ελένη 2',
  '李小龍',
  'Tシャツ',
  'नेहा',
  'محمد',
  'x\u0301',
])('%s is accepted as a name', (name) => {
  expect(nameProblem(name)).toBeNull()
})
