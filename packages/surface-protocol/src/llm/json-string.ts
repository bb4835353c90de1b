import { behindString, LOOK_AHEAD, matchAt, type StringPlace } from './json-tokens.ts'

/** The marks that may close a string, and the repair, by its opening mark. */
const openings: Readonly<Record<string, { readonly closers: string; readonly repair: string }>> = {
  '"': { closers: '"', repair: '' },
  "'": { closers: "'", repair: 'single quotes' },
  '`': { closers: '`', repair: 'backtick string' },
  '\u2018': { closers: "\u2019\u2018'", repair: 'typographic quotes' },
  '\u2019': { closers: "\u2019'", repair: 'typographic quotes' },
  '\u201a': { closers: "\u2018\u2019'", repair: 'typographic quotes' },
  '\u201c': { closers: '"\u201d\u201c\u201f', repair: 'typographic quotes' },
  '\u201d': { closers: '"\u201d', repair: 'typographic quotes' },
  '\u201e': { closers: '"\u201d\u201c\u201f', repair: 'typographic quotes' },
  '\u201f': { closers: '"\u201d\u201c\u201f', repair: 'typographic quotes' },
}
// eslint-disable-next-line no-control-regex -- control characters are to be found
const ordinary = /[^"'`\u2018-\u201f\\\u0000-\u001f]+/y
const simple: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const loneSurrogate = /\p{Surrogate}/gu
const apostrophe = /^\p{L}['\u2019]\p{L}/u
/** What the end of a text may leave of an escape. */
const halfEscape = /\\(?:u(?:[\da-f]{0,3}|\{[\da-f]{0,6})|x[\da-f]?|U[\da-f]{0,7})?$/iy
const longEscape =
  /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|u\{([\da-fA-F]{1,6})\}|U([\da-fA-F]{8}))/y

/** A string that was read. */
export interface StringResult {
  readonly value: string
  /** Position behind the closing mark. */
  readonly end: number
  readonly repairs: readonly string[]
  /** Positions of marks that were taken as text. */
  readonly inner: readonly number[]
  /** The text ended: at this position, everything behind it is dropped. */
  readonly cutAt: number | null
}

/** How a string is to be read. */
export interface StringReading {
  readonly place: StringPlace
  /** Nothing follows the text. */
  readonly final: boolean
  /** Characters that may be read behind the first mark taken as text. */
  readonly inner: number
  /** Position of a mark that is text in any case. */
  readonly not: number
}

/** True if a string may begin with this character. */
export function opensString(char: string): boolean {
  return char !== '' && Object.hasOwn(openings, char)
}

/**
 * Reads a string as models write it: any mark may open it, and a mark before anything but punctuation is text.
 * @returns null if the text has to go on first
 */
export function readString(
  text: string,
  from: number,
  reading: StringReading,
): StringResult | null {
  const first = readUntil(text, from, { ...reading, weak: -1 })
  if (first === null || first.closed || first.weak === -1) return first
  return readUntil(text, from, { ...reading, weak: first.weak })
}

type Attempt = StringResult & { readonly closed: boolean; readonly weak: number }

function readUntil(
  text: string,
  from: number,
  { place, final, inner, not, weak }: StringReading & { readonly weak: number },
): Attempt | null {
  const { closers = '"', repair = '' } = openings[text.charAt(from)] ?? {}
  const repairs = new Set<string>(repair === '' ? [] : [repair])
  const marks: number[] = []
  const pieces: string[] = []
  let firstWeak = -1
  let at = from + 1
  const finish = (end: number, closed: boolean, cutAt: number | null): Attempt => {
    const joined = pieces.join('')
    const value = joined.replaceAll(loneSurrogate, '\ufffd')
    if (value !== joined && cutAt === null) repairs.add('lone surrogate')
    if (marks.length > 0 && repair === '') repairs.add('inner quote')
    return { value, end, repairs: [...repairs], inner: marks, cutAt, closed, weak: firstWeak }
  }
  while (at < text.length) {
    const run = matchAt(ordinary, text, at)
    if (run !== null) {
      pieces.push(run)
      at += run.length
      continue
    }
    const char = text.charAt(at)
    if (char === '\\') {
      if (matchAt(halfEscape, text, at) !== null) break
      const [value, length, isRepair] = escapeAt(text, at)
      if (isRepair) repairs.add('escape')
      pieces.push(value)
      at += length
      continue
    }
    if (closers.includes(char)) {
      if (!final && at + LOOK_AHEAD > text.length) return null
      const mayClose =
        at !== not &&
        (matchAt(behindString[place], text, at + 1) !== null ||
          // A key never takes in the member behind it; only an apostrophe stands within one.
          (place === 'key' && !apostrophe.test(text.slice(at - 1, at + 2))))
      if (mayClose || at === weak) return finish(at + 1, true, null)
      if (firstWeak === -1 && at !== not && /[,:}\]\s]/.test(text.charAt(at + 1))) firstWeak = at
      marks.push(at)
      if (at - (marks[0] ?? at) > inner || inner <= 0) {
        return weak === -1 && firstWeak === -1 ? finish(at + 1, true, null) : finish(at, false, at)
      }
    } else if (char < ' ') repairs.add('control character')
    pieces.push(char)
    at += 1
  }
  if (!final) return null
  return cutString(text, at, pieces, finish)
}

/** The text ended within a string: half an escape and half a pair are dropped. */
function cutString(
  text: string,
  at: number,
  pieces: string[],
  finish: (end: number, closed: boolean, cutAt: number) => Attempt,
): Attempt {
  let cutAt = at
  const last = pieces.at(-1) ?? ''
  if (/[\ud800-\udbff]$/.test(last)) {
    pieces[pieces.length - 1] = last.slice(0, -1)
    const isEscape = last.length === 1 && /\\u[\da-f]{4}$/i.test(text.slice(at - 6, at))
    cutAt = isEscape ? at - 6 : at - 1
  }
  return finish(text.length, false, cutAt)
}

/** The value of an escape, its length, and whether JSON does not have it. */
function escapeAt(text: string, at: number): [string, number, boolean] {
  const next = text.charAt(at + 1)
  const known = Object.hasOwn(simple, next) ? simple[next] : undefined
  if (known !== undefined) return [known, 2, false]
  if ("'`_".includes(next)) return [next, 2, true]
  longEscape.lastIndex = at
  const long = longEscape.exec(text)
  if (long !== null) {
    const [whole, unit, ...others] = long
    if (unit !== undefined) return [String.fromCharCode(Number.parseInt(unit, 16)), 6, false]
    const code = Number.parseInt(others.find((one) => one !== undefined) ?? '', 16)
    if (code <= 0x10ffff) return [String.fromCodePoint(code), whole.length, true]
  }
  return ['\\', 1, true]
}
