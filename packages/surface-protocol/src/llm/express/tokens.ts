import { matchAt } from '../json-tokens.ts'

/** A token of a program. */
export interface Token {
  readonly kind: 'name' | 'path' | 'string' | 'number' | 'sign' | 'end' | 'other'
  /** The name, path, content of the string, or sign. */
  readonly text: string
  readonly at: number
  readonly end: number
  /** First in its line, and at its very beginning. */
  readonly isFirst: boolean
  readonly isMargin: boolean
}

/** Thrown when the text has to go on first. */
export const MORE = new Error('more')

const odd = '\\u00a0\\u2000-\\u200d\\u2028\\u2029\\u202f\\u2060\\u3000\\ufeff'
const gap = new RegExp(`[\\s;${odd}]+|#[^\\n]*|//[^\\n]*|/\\*[^]*?\\*/|\`{3,}[\\w-]*[ \\t]*$`, 'ym')
const oddSpace = new RegExp(`[${odd}]`)
const word = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy
const segment = '[\\p{L}\\p{M}\\p{N}_]+'
const path = new RegExp(`\\$(?:/(?:${segment}(?:/${segment})*)?|${segment}(?:/${segment})*)?`, 'uy')
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const signs = '()[]{},:=?'
const wide = '\uff08\uff09\uff3b\uff3d\uff5b\uff5d\uff0c\uff1a\uff1d\uff1f'
const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\u201c': '\u201c\u201d',
  '\u201e': '\u201c\u201d',
  '\u2018': '\u2018\u2019',
}

/** Reads tokens of a text up to a closing tag. Time is linear in what is read. */
export class Tokens {
  readonly #text: string
  readonly #final: boolean
  readonly #close: RegExp | null
  readonly #repairs: Set<string>
  #next: Token | null = null
  /** Behind the last token that was taken. */
  end: number

  constructor(
    text: string,
    options: { from: number; final: boolean; close: RegExp | null; repairs: Set<string> },
  ) {
    this.#text = text
    this.#final = options.final
    this.#close = options.close
    this.#repairs = options.repairs
    this.end = options.from
  }

  peek(): Token {
    this.#next ??= this.#read()
    return this.#next
  }

  take(): Token {
    const token = this.peek()
    this.#next = null
    this.end = token.end
    return token
  }

  /** Whether a sign follows directly behind the token that is next. */
  behind(sign: string): boolean {
    const { end } = this.peek()
    const space = matchAt(/[ \t]*/y, this.#text, end) ?? ''
    const at = end + space.length
    if (at >= this.#text.length && !this.#final) throw MORE
    const char = this.#text.charAt(at)
    return char === sign || (wide.indexOf(char) === signs.indexOf(sign) && char !== '')
  }

  #read(): Token {
    const text = this.#text
    let at = this.end
    let before = at === 0 ? '' : '-'
    for (let space = matchAt(gap, text, at); space !== null; space = matchAt(gap, text, at)) {
      if (/^\s/.test(space) && oddSpace.test(space)) this.#repairs.add('space character')
      const lineAt = space.lastIndexOf('\n')
      before = lineAt === -1 ? before + space : space.slice(lineAt + 1)
      at += space.length
    }
    const place = { at, isFirst: before.trim() === '', isMargin: before === '' }
    const char = text.charAt(at)
    if (char === '') {
      if (!this.#final) throw MORE
      return { kind: 'end', text: '', end: at, ...place }
    }
    if (char === '<' && this.#close !== null) {
      const closing = matchAt(this.#close, text, at)
      if (closing !== null)
        return { kind: 'end', text: closing, end: at + closing.length, ...place }
      if (!this.#final && text.length - at < 30) throw MORE
    }
    if ('/`'.includes(char) && !this.#final && !text.includes('\n', at)) throw MORE
    if (char === '/' && text.startsWith('/*', at) && !this.#final) throw MORE
    const raw = char === 'r' && /["']/.test(text.charAt(at + 1)) ? 1 : 0
    if (raw === 1 || closers[char] !== undefined) return this.#string(at, raw, place)
    const isSign = signs.includes(char)
    const width = isSign ? -1 : wide.indexOf(char)
    if (isSign || width !== -1) {
      if (width !== -1) this.#repairs.add('full-width punctuation')
      return { kind: 'sign', text: isSign ? char : signs.charAt(width), end: at + 1, ...place }
    }
    for (const [kind, pattern] of [
      ['path', path],
      ['name', word],
      ['number', number],
    ] as const) {
      const found = matchAt(pattern, text, at)
      if (found === null) continue
      // A number or path may go on behind a point or a slash.
      const behind = text.slice(at + found.length, at + found.length + 3)
      if (behind.length < 3 && /^[./eE+-]*$/.test(behind) && !this.#final) throw MORE
      return { kind, text: found, end: at + found.length, ...place }
    }
    if (char === '-' && at + 1 === text.length && !this.#final) throw MORE
    return { kind: 'other', text: char, end: at + 1, ...place }
  }

  #string(at: number, raw: 0 | 1, place: Pick<Token, 'at' | 'isFirst' | 'isMargin'>): Token {
    const text = this.#text
    const from = at + raw
    const mark = text.charAt(from)
    if (!this.#final && text.length - from < 3) throw MORE
    const isTriple = text.startsWith(mark.repeat(3), from) && /["']/.test(mark)
    const begin = from + (isTriple ? 3 : 1)
    const close = isTriple ? mark.repeat(3) : null
    let end = begin
    for (; end < text.length; end += 1) {
      const char = text.charAt(end)
      if (char === '\\' && raw === 0) end += 1
      else if (close === null ? (closers[mark] ?? '').includes(char) : text.startsWith(close, end))
        break
      else if (char === '\n' && close === null) return { kind: 'other', text: mark, end, ...place }
    }
    if (end >= text.length) {
      if (!this.#final) throw MORE
      return { kind: 'other', text: mark, end: text.length, ...place }
    }
    const found = text.slice(begin, end)
    if (mark === "'") this.#repairs.add('single quotes')
    else if (mark !== '"') this.#repairs.add('typographic quotes')
    const content = raw === 1 ? found : unescaped(found)
    return { kind: 'string', text: content, end: end + (isTriple ? 3 : 1), ...place }
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([^])/g, (whole, char: string) => escapes[char] ?? whole)
}
