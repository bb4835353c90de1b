import { MORE, Tokens, type Token } from './tokens.ts'
import type { Argument, Call, Expression, Statement } from './program.ts'
import type { ProgramFault } from './program-fault.ts'

/** What was read at a position of a program. */
export type StatementResult =
  /** The text has to go on first. */
  | { readonly kind: 'more' }
  | { readonly kind: 'end'; readonly at: number; readonly end: number }
  | {
      readonly kind: 'statement'
      readonly statement: Statement
      readonly end: number
      readonly repairs: readonly string[]
    }
  | {
      readonly kind: 'error'
      readonly at: number
      readonly expected: string
      readonly isTooDeep: boolean
      readonly end: number
    }
  | { readonly kind: 'fault'; readonly fault: ProgramFault; readonly end: number }

/** How a program is read. */
export interface ProgramReading {
  readonly from: number
  /** The text is complete. */
  readonly final: boolean
  /** What ends the program before its text does. */
  readonly close: RegExp | null
  /** Maximum nesting. */
  readonly depth: number
}

const HALT = new Error('halted')
const literals: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}
const nextStatement =
  /^(?:[\p{L}_][\p{L}\p{M}\p{N}_]*[ \t]*=|\$[^\s=()[\]]{0,200}[ \t]*=|surface[ \t]*\(|deleteSurface[ \t]*\()/gmu

/** Reads the statement at a position. Never throws; time is linear in what is read. */
export function readStatement(text: string, reading: ProgramReading): StatementResult {
  return new StatementReader(text, reading).read()
}

/** Reads a text that is one expression. Never throws; time is linear. */
export function readExpression(
  text: string,
  depth: number,
):
  | { readonly kind: 'value'; readonly value: Expression }
  | { readonly kind: 'error'; readonly expected: string; readonly isTooDeep: boolean } {
  return new StatementReader(text, { from: 0, final: true, close: null, depth }).readOnly()
}

class StatementReader {
  readonly #text: string
  readonly #reading: ProgramReading
  readonly #repairs = new Set<string>()
  readonly #tokens: Tokens
  /** The brackets that are open. */
  readonly #open: string[] = []
  /** The last sign or value within brackets was a comma or a bracket. */
  #isBehindComma = true
  #isUnclosed = false
  #failure = { at: 0, expected: '', isTooDeep: false }

  constructor(text: string, reading: ProgramReading) {
    this.#text = text
    this.#reading = reading
    this.#tokens = new Tokens(text, { ...reading, repairs: this.#repairs })
  }

  read(): StatementResult {
    const { final } = this.#reading
    try {
      const first = this.#tokens.peek()
      if (first.kind === 'end') return { kind: 'end', at: first.at, end: first.end }
      const statement = this.#statement()
      const { end } = this.#tokens
      if (!final && !this.#isUnclosed && !this.#isOver(end)) return { kind: 'more' }
      return { kind: 'statement', statement, end, repairs: [...this.#repairs] }
    } catch (error) {
      if (error === MORE) return { kind: 'more' }
      if (error !== HALT) throw error
      const end = this.#recover(this.#failure.at)
      return end === null ? { kind: 'more' } : { kind: 'error', ...this.#failure, end }
    }
  }

  readOnly(): ReturnType<typeof readExpression> {
    try {
      const value = this.#value()
      const rest = this.#tokens.peek()
      if (rest.kind !== 'end') this.#fail(rest, 'the end of the expression expected')
      if (this.#isUnclosed) this.#fail(rest, 'a closing bracket expected')
      return { kind: 'value', value }
    } catch (error) {
      if (error !== HALT) throw error
      return { kind: 'error', ...this.#failure }
    }
  }

  /** Whether a line break or the next statement follows. */
  #isOver(end: number): boolean {
    const rest = /[ \t]*/y
    rest.lastIndex = end
    const at = end + (rest.exec(this.#text)?.[0].length ?? 0)
    return at < this.#text.length
  }

  /** Where the next statement begins behind a fault; null if the text has to go on first. */
  #recover(at: number): number | null {
    const { close, final } = this.#reading
    const lineAt = this.#text.indexOf('\n', at)
    const from = lineAt === -1 ? this.#text.length : lineAt + 1
    nextStatement.lastIndex = from
    const next = nextStatement.exec(this.#text)?.index ?? null
    const skipped = this.#text.slice(at, next ?? undefined)
    const closing = close === null ? -1 : skipped.search(new RegExp(close.source, 'i'))
    if (closing !== -1) return at + closing
    if (next !== null) return next
    return final ? this.#text.length : null
  }

  #fail(token: Token, expected: string, isTooDeep = false): never {
    this.#failure = { at: token.at, expected, isTooDeep }
    throw HALT
  }

  #statement(): Statement {
    const token = this.#tokens.take()
    const { at } = token
    if (token.kind === 'path') {
      this.#sign('=')
      return { kind: 'data', path: token.text.slice(1), value: this.#value(), at }
    }
    if (token.kind !== 'name') this.#fail(token, "'name =' or a call expected")
    if (!this.#is('(') && !this.#is('=')) this.#fail(token, "'name =' or a call expected")
    if (this.#is('(')) return { kind: 'call', call: this.#call(token, false), at }
    this.#sign('=')
    return { kind: 'assign', name: token.text, value: this.#value(), at }
  }

  #is(sign: string): boolean {
    const token = this.#tokens.peek()
    return token.kind === 'sign' && token.text === sign
  }

  #sign(sign: string): void {
    const token = this.#tokens.take()
    if (token.kind !== 'sign' || token.text !== sign) this.#fail(token, `'${sign}' expected`)
  }

  #value(): Expression {
    const token = this.#tokens.take()
    const { at, text } = token
    this.#isBehindComma = false
    if (token.kind === 'string') return { kind: 'value', value: text, at }
    if (token.kind === 'number') return { kind: 'value', value: Number(text), at }
    if (token.kind === 'path') return { kind: 'path', path: text.slice(1), at }
    if (token.kind === 'name') {
      if (text === '_') return { kind: 'skip', at }
      if (Object.hasOwn(literals, text)) {
        if (/^[TFN]/.test(text)) this.#repairs.add('python literal')
        return { kind: 'value', value: literals[text] ?? null, at }
      }
      return this.#calls() ? this.#call(token, false) : { kind: 'name', name: text, at }
    }
    if (token.kind === 'sign') {
      if (text === '?') {
        const name = this.#tokens.take()
        if (name.kind !== 'name') this.#fail(name, 'the name of a check expected')
        if (this.#calls()) return this.#call(name, true)
        return { kind: 'call', name: name.text, args: [], isCheck: true, at: name.at }
      }
      if (text === '[') return this.#list(token)
      if (text === '{') return this.#map(token)
    }
    this.#fail(
      token,
      `"'`.includes(text) && text !== '' ? 'the end of the string expected' : 'a value expected',
    )
  }

  /** Whether arguments follow on the same line. */
  #calls(): boolean {
    if (this.#open.length === 0 && !this.#reading.final) {
      const rest = this.#text.slice(this.#tokens.end, this.#tokens.end + 200)
      const space = /^[ \t]*/.exec(rest)?.[0].length ?? 0
      if (space === rest.length) throw MORE
      return rest.charAt(space) === '(' || rest.charAt(space) === '\uff08'
    }
    return this.#is('(') && !this.#tokens.peek().isFirst
  }

  #call(name: Token, isCheck: boolean): Call {
    const args: Argument[] = []
    this.#sign('(')
    this.#items(')', name, () => {
      const token = this.#tokens.peek()
      const { at } = token
      if (token.kind === 'name' && (this.#tokens.behind('=') || this.#tokens.behind(':'))) {
        this.#tokens.take()
        if (this.#tokens.take().text === ':') this.#repairs.add('colon argument')
        args.push({ name: token.text, value: this.#value(), at })
      } else args.push({ name: null, value: this.#value(), at })
    })
    return { kind: 'call', name: name.text, args, isCheck, at: name.at }
  }

  #list({ at }: Token): Expression {
    const items: Expression[] = []
    this.#items(']', this.#tokens.peek(), () => items.push(this.#value()))
    return { kind: 'list', items, at }
  }

  #map({ at }: Token): Expression {
    const entries: [string, Expression][] = []
    this.#items('}', this.#tokens.peek(), () => {
      const key = this.#tokens.take()
      if (key.kind !== 'name' && key.kind !== 'string') this.#fail(key, 'a key expected')
      this.#sign(':')
      entries.push([key.text, this.#value()])
    })
    return { kind: 'map', entries, at }
  }

  /** What stands in brackets, up to the closing one. */
  #items(close: string, token: Token, item: () => void): void {
    if (this.#open.length >= this.#reading.depth) this.#fail(token, 'too deeply nested', true)
    this.#open.push(close)
    this.#isBehindComma = true
    for (;;) {
      const next = this.#tokens.peek()
      if (next.kind === 'sign' && next.text === close) {
        this.#tokens.take()
        break
      }
      if (this.#isUnclosed || next.kind === 'end' || this.#beginsStatement(next, close)) {
        this.#isUnclosed = true
        this.#repairs.add('missing bracket')
        break
      }
      if (next.kind === 'sign' && ')]}'.includes(next.text) && this.#open.includes(next.text)) {
        this.#repairs.add('missing bracket')
        break
      }
      if (next.kind === 'sign' && next.text === ',') {
        if (this.#isBehindComma) this.#fail(next, 'a value expected')
        this.#tokens.take()
        this.#isBehindComma = true
        continue
      }
      if (!this.#isBehindComma) {
        if (!next.isFirst) this.#fail(next, `',' or '${close}' expected`)
        this.#repairs.add('missing comma')
      }
      item()
      this.#isBehindComma = false
    }
    this.#open.pop()
    this.#isBehindComma = false
  }

  /** Whether a statement begins at the margin although brackets are open. */
  #beginsStatement(token: Token, close: string): boolean {
    if (!token.isMargin || (token.kind !== 'name' && token.kind !== 'path')) return false
    if (token.kind === 'name' && this.#isBehindComma && close === ')') return false
    return this.#tokens.behind('=')
  }
}
