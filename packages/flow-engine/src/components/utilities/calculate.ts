/** Why an expression was not calculated; `divisionByZero` apart, because it is reported in other words. */
export class CalculationError extends Error {
  override readonly name = 'CalculationError'
  readonly divisionByZero: boolean

  constructor(message: string, divisionByZero = false) {
    super(message)
    this.divisionByZero = divisionByZero
  }
}

const MAX_LENGTH = 10_000
const MAX_DEPTH = 200
const TOKEN =
  /\s*(?:(?<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<text>"[^"]*"|'[^']*')|(?<operator>\*\*|\/\/|<<|>>|<=|>=|==|!=|[-+*/%^&|~<>@(),[\]{}:.]))/uy

interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'operator'
  readonly text: string
}

/**
 * The value of an expression of numbers, `+ - * / **` and parentheses; nothing is evaluated as code (CO-39).
 * @throws CalculationError
 */
export function calculate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new CalculationError('the expression is too long')
  const parser = createParser(tokenize(expression))
  const value = parser.expression(0, 0)
  parser.end()
  if (!Number.isFinite(value)) throw new CalculationError("(34, 'Numerical result out of range')")
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
  if (tokens.length === 0) throw new CalculationError(SYNTAX)
  return tokens
}

/** Left and right binding powers; a right power below the left one binds to the right. */
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

function unsupported(kind: string): CalculationError {
  return new CalculationError(`Unsupported operation or expression type: ${kind}`)
}

function createParser(tokens: readonly Token[]) {
  let at = 0

  function expression(binding: number, depth: number): number {
    if (depth > MAX_DEPTH) throw new CalculationError('the expression is nested too deeply')
    let value = operand(depth)
    for (;;) {
      const token = tokens[at]
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

  function operand(depth: number): number {
    const token = tokens[at]
    at += 1
    if (token?.kind === 'number') return readNumber(token.text)
    if (token?.kind === 'text') throw new CalculationError('Unsupported constant type: str')
    if (token?.kind === 'name') throw nameError(token.text, tokens[at])
    if (token?.text === '(') {
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

function nameError(name: string, next: Token | undefined): CalculationError {
  if (name === 'True' || name === 'False') {
    return new CalculationError('Unsupported constant type: bool')
  }
  if (name === 'None') return new CalculationError('Unsupported constant type: NoneType')
  return unsupported(next?.text === '(' ? 'Call' : next?.text === '.' ? 'Attribute' : 'Name')
}

function readNumber(text: string): number {
  const digits = text.replaceAll('_', '')
  const misplaced = /__|_$|_[.eE]|\._/.test(text)
  const leadingZero = /^0\d+$/.test(digits) && !/^0+$/.test(digits)
  if (misplaced || leadingZero) throw new CalculationError(SYNTAX)
  return Number(digits)
}

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      if (right === 0) throw new CalculationError('Division by zero', true)
      return left / right
    default:
      return power(left, right)
  }
}

function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new CalculationError('Division by zero', true)
  const value = base ** exponent
  if (Number.isNaN(value)) throw new CalculationError('the result is no real number')
  return value
}
