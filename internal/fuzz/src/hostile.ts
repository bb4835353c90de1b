import type { Dice } from './dice.ts'

/** Strings that have broken parsers, paths, queries and number readers. */
const STRINGS: readonly string[] = [
  '',
  ' ',
  'a',
  'true',
  'null',
  '0',
  '-1',
  '1e999',
  'NaN',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..%2f..%2f',
  'C:\\windows\\x',
  '/a/b/'.repeat(200),
  '\u0000',
  '\ud800',
  '\u202e',
  '🚀é̂',
  "' or 1=1 --",
  '"',
  '\\',
  '%',
  '%zz',
  '{{x}}',
  '{x}',
  '{'.repeat(200),
  '('.repeat(200),
  '['.repeat(200),
  '(a+)+$',
  'a'.repeat(5_000),
  '<script>alert(1)</script>',
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  '2031-01-01T00:00:00Z',
  '0000-00-00T99:99:99Z',
  '2f3a9c1e-0000-4000-8000-00000000abcd',
  'sk-secret',
  'line\nbreak\r\nx: y',
]

const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  65_536,
]

export function hostileString(dice: Dice): string {
  return dice.pick(STRINGS)
}

export function hostileNumber(dice: Dice): number {
  return dice.pick(NUMBERS)
}

/** Any JSON value, at most `depth` levels deep. */
export function hostileValue(dice: Dice, depth = 3): unknown {
  const kind = dice.integer(depth > 0 ? 9 : 6)
  if (kind === 0) return null
  if (kind === 1) return dice.chance(0.5)
  if (kind === 2) return hostileNumber(dice)
  if (kind < 6) return hostileString(dice)
  if (kind === 6) return dice.many(() => hostileValue(dice, depth - 1))
  if (kind === 7) return nested(dice)
  return Object.fromEntries(
    dice.many(() => [hostileString(dice), hostileValue(dice, depth - 1)] as const),
  )
}

/** A value in a tower of arrays or objects. */
function nested(dice: Dice): unknown {
  let value: unknown = 'x'
  const levels = dice.pick([5, 70, 300])
  for (let k = 0; k < levels; k += 1) value = k % 2 === 0 ? [value] : { a: value }
  return value
}
