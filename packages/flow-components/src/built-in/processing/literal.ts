const MAX_DEPTH = 200

/** The string is not a literal; callers keep it unchanged. */
class NotLiteralError extends Error {}

/**
 * Parses literal notation (`[1, 'a', True, None]`, `{'k': (1, 2)}`) as found in flows; nothing is
 * executed. Tuples and sets become lists, keys become strings.
 * Undefined for other text, a number that would lose digits, or too deep nesting.
 */
export function parseLiteral(text: string): { readonly value: unknown } | undefined {
  const reader = createReader(text)
  try {
    const value = reader.value(0)
    reader.end()
    return { value }
  } catch (error) {
    if (error instanceof NotLiteralError) return undefined
    throw error
  }
}

const WORDS = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
])
const NUMBER =
  /(?:0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*\.?(?:[eE][+-]?\d(?:_?\d)*)?)(?![\w.])/y
const STRING = /[rR]?(?:'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)")/y

function createReader(text: string): { value(depth: number): unknown; end(): void } {
  let at = 0

  function skip(): void {
    while (/\s/.test(text.charAt(at))) at += 1
  }
  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at += found[0].length
    return found
  }
  function takes(mark: string): boolean {
    skip()
    if (text.charAt(at) !== mark) return false
    at += 1
    return true
  }
  function items(closing: string, depth: number, read: () => void): number {
    let count = 0
    while (!takes(closing)) {
      if (depth > MAX_DEPTH) throw new NotLiteralError()
      read()
      count += 1
      if (takes(',')) continue
      if (!takes(closing)) throw new NotLiteralError()
      return -count
    }
    return count
  }

  function value(depth: number): unknown {
    skip()
    const mark = text.charAt(at)
    if (mark === '[') return list(']', depth)
    if (mark === '(') return parentheses(depth)
    if (mark === '{') return braces(depth)
    if (mark === '+' || mark === '-') return signed(mark)
    return strings() ?? number() ?? word()
  }
  function list(closing: string, depth: number): unknown[] {
    at += 1
    const found: unknown[] = []
    items(closing, depth, () => found.push(value(depth + 1)))
    return found
  }
  /** A single value without a comma is that value; everything else is a tuple. */
  function parentheses(depth: number): unknown {
    at += 1
    const found: unknown[] = []
    const count = items(')', depth, () => found.push(value(depth + 1)))
    return count === -1 ? found[0] : found
  }
  function braces(depth: number): unknown {
    at += 1
    const found: [unknown, unknown][] = []
    let isObject = true
    items('}', depth, () => {
      const key = value(depth + 1)
      const hasValue = takes(':')
      if (found.length > 0 && hasValue !== isObject) throw new NotLiteralError()
      isObject = hasValue
      found.push([key, hasValue ? value(depth + 1) : null])
    })
    if (!isObject) return found.map(([key]) => key)
    return Object.fromEntries(found.map(([key, inner]) => [keyText(key), inner]))
  }
  function signed(sign: string): number {
    at += 1
    skip()
    const size = number()
    if (size === undefined) throw new NotLiteralError()
    return sign === '-' ? -size : size
  }
  function number(): number | undefined {
    const digits = take(NUMBER)?.[0].replaceAll('_', '')
    if (digits === undefined) return undefined
    if (/^0\d*[1-9]/.test(digits) && /^\d+$/.test(digits)) throw new NotLiteralError()
    const read = Number(digits)
    const exact = !/^\d+$/.test(digits) || Number.isSafeInteger(read)
    if (!exact || !Number.isFinite(read)) throw new NotLiteralError()
    return read
  }
  /** Adjacent strings are concatenated. */
  function strings(): string | undefined {
    let joined: string | undefined
    for (let found = take(STRING); found !== null; found = take(STRING)) {
      const body = found[1] ?? found[2] ?? ''
      joined = (joined ?? '') + (/^r/i.test(found[0]) ? body : unescape(body))
      skip()
    }
    return joined
  }
  function word(): unknown {
    const found = take(/[A-Za-z]+/y)?.[0] ?? ''
    if (!WORDS.has(found)) throw new NotLiteralError()
    return WORDS.get(found)
  }

  return {
    value,
    end() {
      skip()
      if (at < text.length) throw new NotLiteralError()
    },
  }
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key
  if (typeof key === 'number' || typeof key === 'boolean') return String(key)
  if (key === null) return 'null'
  throw new NotLiteralError()
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\n', ''],
])

function unescape(body: string): string {
  return body.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(000[\da-fA-F]{5}|0010[\da-fA-F]{4})|([\s\S]))/g,
    (whole, two?: string, four?: string, eight?: string, one?: string) => {
      const code = two ?? four ?? eight
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      if (one === '\\' || one === "'" || one === '"') return one
      return ESCAPES.get(one ?? '') ?? whole
    },
  )
}
