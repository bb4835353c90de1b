import { SurfaceError } from '../diagnostics/errors.ts'
import { setOwn, type JsonObject } from '../json.ts'

/** A part of a template: text, a literal, a path or a call. */
export type ExpressionPart =
  | string
  | number
  | boolean
  | null
  | { path: string }
  | { call: string; args: JsonObject; returnType: 'any' }

/** Maximum nesting of expressions. */
const MAX_DEPTH = 10

/**
 * Parses a `formatString` template: text with `${...}` containing a string, a number, true, false, null, a
 * path, a call `name(argument: ...)` or another `${...}`; `\${` is a literal `${`.
 * @throws SurfaceError `invalid_expression`
 */
export function parseExpression(template: string): ExpressionPart[] {
  const parts: ExpressionPart[] = []
  let text = ''
  let at = 0
  while (at < template.length) {
    const found = template.indexOf('${', at)
    if (found === -1) {
      text += template.slice(at)
      break
    }
    if (template[found - 1] === '\\') {
      text += `${template.slice(at, found - 1)}\${`
      at = found + 2
      continue
    }
    text += template.slice(at, found)
    if (text !== '') parts.push(text)
    text = ''
    const reader = new Reader(template, found + 2)
    parts.push(reader.interpolation(0))
    at = reader.at
  }
  if (text !== '' || parts.length === 0) parts.push(text)
  return parts
}

const STRING = /"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'/y
const NUMBER = /[\d.]+(?![\w/-])/y
const WORD = /[\w\-./~]+/y
const SPACE = /\s*/y
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

class Reader {
  at: number
  readonly #text: string

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  /** Parses the expression after `${` up to its end. */
  interpolation(depth: number): ExpressionPart {
    if (depth > MAX_DEPTH) throw this.#wrong('Expressions are nested too deeply')
    this.#take(SPACE)
    if (this.at >= this.#text.length) throw this.#wrong('Unclosed interpolation')
    const part = this.#text[this.at] === '}' ? '' : this.#expression(depth)
    this.#take(SPACE)
    if (this.at >= this.#text.length) throw this.#wrong('Unclosed interpolation')
    if (this.#text[this.at] !== '}') throw this.#wrong('Unexpected characters')
    this.at += 1
    return part
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at
    const found = expression.exec(this.#text)
    this.at += found?.[0].length ?? 0
    return found
  }

  #expression(depth: number): ExpressionPart {
    if (this.#text.startsWith('${', this.at)) {
      this.at += 2
      return this.interpolation(depth + 1)
    }
    const string = this.#take(STRING)
    if (string !== null) {
      const inner = string[1] ?? string[2] ?? ''
      return inner.replaceAll(/\\([^])/g, (_, letter: string) => escapes[letter] ?? letter)
    }
    const number = this.#take(NUMBER)
    if (number !== null) return this.#number(number[0])
    const word = this.#take(WORD)?.[0]
    if (word === undefined) {
      const isText = /["']/.test(this.#text[this.at] ?? '')
      throw this.#wrong(isText ? 'Unclosed interpolation' : 'Unexpected characters')
    }
    const behind = this.at
    this.#take(SPACE)
    if (this.#text[this.at] === '(') return this.#call(word, depth)
    this.at = behind
    if (word === 'true' || word === 'false') return word === 'true'
    return word === 'null' ? null : { path: word }
  }

  #number(text: string): number {
    if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
    throw this.#wrong('Invalid number literal')
  }

  #call(name: string, depth: number): ExpressionPart {
    if (depth >= MAX_DEPTH) throw this.#wrong('Expressions are nested too deeply')
    this.at += 1
    const args: JsonObject = {}
    for (;;) {
      this.#take(SPACE)
      if (this.#text[this.at] === ')') break
      const argument = this.#take(WORD)?.[0]
      if (argument === undefined) throw this.#wrong("Expected ')' after function arguments")
      this.#take(SPACE)
      if (this.#text[this.at] !== ':') throw this.#wrong("Expected ':' after argument name")
      this.at += 1
      this.#take(SPACE)
      setOwn(args, argument, this.#expression(depth + 1))
      this.#take(SPACE)
      if (this.#text[this.at] === ',') this.at += 1
      else if (this.#text[this.at] !== ')') {
        throw this.#wrong("Expected ')' after function arguments")
      }
    }
    this.at += 1
    return { call: name, args, returnType: 'any' }
  }

  #wrong(detail: string): SurfaceError {
    return new SurfaceError({ code: 'invalid_expression', detail })
  }
}
