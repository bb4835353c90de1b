/** An expression that cannot be calculated. `divisionByZero` is set because it has its own message. */
export class CalculationError extends Error {
  override readonly name = 'CalculationError'
  readonly divisionByZero: boolean

  constructor(message: string, divisionByZero = false) {
    super(message)
    this.divisionByZero = divisionByZero
  }
}

const MAX_LENGTH = 10_000
const MAX_DEPTH = 100
const TOKEN =
  /\s*(?:(?<number>0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)|(?<text>[a-zA-Z]{0,2}(?:"[^"]*"|'[^']*'))|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<operator>\*\*|\/\/|<<|>>|<=|>=|==|!=|[-+*/%^&|~<>@(),[\]{}:.]))/uy

interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'operator'
  readonly text: string
}

/** Integers are unbounded, so an overflow is an error; decimals overflow to infinity. */
interface Operand {
  readonly value: number
  readonly whole: boolean
}

/**
 * Evaluates an arithmetic expression with `+ - * / **` and parentheses; no code is executed.
 * @throws CalculationError
 */
export function calculate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new CalculationError('the expression is too long')
  const parser = createParser(tokenize(expression))
  const { value } = parser.expression(0, 0)
  parser.end()
  return value
}

const SYNTAX = 'invalid syntax'

function tokenize(expression: string): Token[] {
  const tokens: Token[] = []
  const text = expression.trim()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined) throw new CalculationError(SYNTAX)
    for (const kind of ['number', 'name', 'text', 'operator'] as const) {
      const part = groups[kind]
      if (part !== undefined) tokens.push({ kind, text: part })
    }
  }
  if (tokens.length === 0 || tokens.some(standsAlone)) throw new CalculationError(SYNTAX)
  return tokens
}

const WORDS = new Set(['if', 'else', 'and', 'or', 'not', 'in', 'is', 'lambda', 'for'])

/** Two adjacent operands are never an expression, so prose is reported as such. */
function standsAlone(token: Token, at: number, tokens: readonly Token[]): boolean {
  const next = tokens[at + 1]
  if (next === undefined || (token.kind === 'text' && next.kind === 'text')) return false
  return [token, next].every(({ kind, text }) => kind !== 'operator' && !WORDS.has(text))
}

/** Left and right binding powers; a right power below the left one makes an operator right-associative. */
const OPERATORS = new Map<string, { left: number; right: number; refused?: string }>([
  ['|', { left: 1, right: 2, refused: 'BitOr' }],
  ['^', { left: 3, right: 4, refused: 'BitXor' }],
  ['&', { left: 5, right: 6, refused: 'BitAnd' }],
  ['<<', { left: 7, right: 8, refused: 'LShift' }],
  ['>>', { left: 7, right: 8, refused: 'RShift' }],
  ['+', { left: 9, right: 10 }],
  ['-', { left: 9, right: 10 }],
  ['*', { left: 11, right: 12 }],
  ['/', { left: 11, right: 12 }],
  ['//', { left: 11, right: 12, refused: 'FloorDiv' }],
  ['%', { left: 11, right: 12, refused: 'Mod' }],
  ['@', { left: 11, right: 12, refused: 'MatMult' }],
  ['**', { left: 16, right: 15 }],
])

const OTHER_KINDS = new Map([
  [',', 'Tuple'],
  ['(', 'Call'],
  ['[', 'Subscript'],
  ['.', 'Attribute'],
  ['<', 'Compare'],
  ['>', 'Compare'],
  ['<=', 'Compare'],
  ['>=', 'Compare'],
  ['==', 'Compare'],
  ['!=', 'Compare'],
])

/** Keywords between operands. */
const WORD_KINDS = new Map([
  ['if', 'IfExp'],
  ['and', 'BoolOp'],
  ['or', 'BoolOp'],
  ['in', 'Compare'],
  ['is', 'Compare'],
  ['not', 'Compare'],
])

function unsupported(kind: string): CalculationError {
  return new CalculationError(`Unsupported operation or expression type: ${kind}`)
}

function createParser(tokens: readonly Token[]) {
  let at = 0

  function expression(binding: number, depth: number): Operand {
    if (depth > MAX_DEPTH) throw new CalculationError('the expression is nested too deeply')
    let value = operand(depth)
    for (;;) {
      const token = tokens[at]
      const word = token?.kind === 'name' ? WORD_KINDS.get(token.text) : undefined
      if (word !== undefined) throw unsupported(word)
      if (token?.kind !== 'operator') return value
      const operator = OPERATORS.get(token.text)
      const other = OTHER_KINDS.get(token.text)
      if (operator === undefined) {
        if (other === undefined) return value
        throw unsupported(other)
      }
      if (operator.left < binding) return value
      at += 1
      const right = expression(operator.right, depth + 1)
      if (operator.refused !== undefined) {
        throw new CalculationError(`Unsupported binary operator: ${operator.refused}`)
      }
      value = apply(token.text, value, right)
    }
  }

  function operand(depth: number): Operand {
    if (depth > MAX_DEPTH) throw new CalculationError('the expression is nested too deeply')
    const token = tokens[at]
    at += 1
    if (token?.kind === 'number') return readNumber(token.text)
    if (token?.kind === 'text') throw textError(token.text)
    if (token?.kind === 'name') return readName(token.text, tokens[at])
    if (token?.text === '(') {
      if (tokens[at]?.text === ')') throw unsupported('Tuple')
      const value = expression(0, depth + 1)
      if (tokens[at]?.text !== ')') throw new CalculationError(SYNTAX)
      at += 1
      return value
    }
    if (token?.text === '-' || token?.text === '+' || token?.text === '~') {
      operand(depth + 1)
      throw unsupported('UnaryOp')
    }
    if (token?.text === '[') throw unsupported('List')
    if (token?.text === '{') throw unsupported('Dict')
    throw new CalculationError(SYNTAX)
  }

  return {
    expression,
    end() {
      if (at < tokens.length) throw new CalculationError(SYNTAX)
    },
  }
}

function readName(name: string, next: Token | undefined): Operand {
  if (name === 'True' || name === 'False') return { value: Number(name === 'True'), whole: true }
  if (name === 'None') throw new CalculationError('Unsupported constant type: NoneType')
  if (name === 'not') throw unsupported('UnaryOp')
  if (name === 'lambda') throw unsupported('Lambda')
  throw unsupported(next?.text === '(' ? 'Call' : next?.text === '.' ? 'Attribute' : 'Name')
}

function textError(text: string): CalculationError {
  const prefix = (/^[a-z]*/i.exec(text)?.[0] ?? '').toLowerCase()
  if (prefix.includes('f')) return unsupported('JoinedStr')
  return new CalculationError(
    `Unsupported constant type: ${prefix.includes('b') ? 'bytes' : 'str'}`,
  )
}

function readNumber(text: string): Operand {
  const digits = text.replaceAll('_', '')
  const misplaced = /__|_$|_[.eEjJ]|\._/.test(text)
  const leadingZero = /^0\d+$/.test(digits) && !/^0+$/.test(digits)
  if (misplaced || leadingZero) throw new CalculationError(SYNTAX)
  if (/^[^xX]*j$/i.test(digits)) throw new CalculationError('Unsupported constant type: complex')
  return result(Number(digits), /^(?:0[xob].*|\d+)$/i.test(digits))
}

function result(value: number, whole: boolean): Operand {
  if (whole && !Number.isFinite(value)) throw new CalculationError(OUT_OF_RANGE)
  return { value, whole }
}

const OUT_OF_RANGE = "(34, 'Numerical result out of range')"

function apply(operator: string, left: Operand, right: Operand): Operand {
  const whole = left.whole && right.whole
  switch (operator) {
    case '+':
      return result(left.value + right.value, whole)
    case '-':
      return result(left.value - right.value, whole)
    case '*':
      return product(left, right)
    case '/':
      if (right.value === 0) throw new CalculationError('Division by zero', true)
      return result(left.value / right.value, false)
    default:
      return power(left, right)
  }
}

/** @throws CalculationError for a product over 1e308 */
function product(left: Operand, right: Operand): Operand {
  const value = left.value * right.value
  const isTooLarge = [left, right].every((factor) => Number.isFinite(factor.value))
  if (isTooLarge && !Number.isFinite(value)) throw new CalculationError(OUT_OF_RANGE)
  return { value, whole: left.whole && right.whole }
}

function power(base: Operand, exponent: Operand): Operand {
  if (base.value === 0 && exponent.value < 0) throw new CalculationError('Division by zero', true)
  const value = base.value ** exponent.value
  if (Number.isNaN(value)) throw new CalculationError('the result is not a real number')
  if (!Number.isFinite(value) && Number.isFinite(base.value)) {
    throw new CalculationError(OUT_OF_RANGE)
  }
  return { value, whole: base.whole && exponent.whole && exponent.value >= 0 }
}
