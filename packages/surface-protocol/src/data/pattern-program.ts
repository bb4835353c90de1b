/** Matches a code point against one character or class of a pattern. */
export type CharacterSet = (codePoint: number) => boolean

/** An instruction of a compiled pattern; `to` and `or` are program positions. */
export type Instruction =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'split'; to: number; or: number }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'match' }

/** Maximum instructions of a pattern; repeats are unrolled. */
const MAX_PROGRAM = 1000

/** A pattern that is too large or that an automaton cannot match. */
export class UnsupportedPatternError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'UnsupportedPatternError'
  }
}

/**
 * Compiles a regular expression with the semantics of the `u` flag.
 * @throws SyntaxError if it is invalid; UnsupportedPatternError for lookaround, backreferences, modifiers
 * and programs of more than 1,000 instructions
 */
export function compileProgram(source: string): Instruction[] {
  void new RegExp(source, 'u')
  const program: Instruction[] = []
  emit(new Parser(source).alternatives(), program)
  add(program, { kind: 'match' })
  return program
}

type Assertion = 'start' | 'end' | 'boundary' | 'inside'

type Part =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'alternatives'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly low: number; readonly high: number }

/** A single character or class in source form. */
const ATOM =
  /\\u\{[0-9a-fA-F]+\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\[pP]\{[^}]*\}|\\c.|\\.|\[(?:\\.|[^\]\\])*\]|[^]/suy
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/uy
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/uy
const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'boundary'],
  ['\\B', 'inside'],
])

/** Parses a pattern already accepted by the platform. */
class Parser {
  readonly #source: string
  readonly #sets = new Map<string, CharacterSet>()
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Parses to the end of the group or pattern. */
  alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      parts.push(this.#sequence())
    }
    return { kind: 'alternatives', parts }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (;;) {
      const next = this.#source[this.#at]
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts }
      parts.push(this.#repeated(this.#term()))
    }
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#source)
    this.#at += found?.[0].length ?? 0
    return found
  }

  #term(): Part {
    if (this.#source[this.#at] === '(') return this.#group()
    const text = this.#take(ATOM)?.[0] ?? ''
    const assertion = ASSERTIONS.get(text)
    if (assertion !== undefined) return { kind: 'assertion', assertion }
    if (/^\\[1-9k]/.test(text))
      throw new UnsupportedPatternError('back references are not supported')
    const set = this.#sets.get(text) ?? createSet(text)
    this.#sets.set(text, set)
    return { kind: 'set', set }
  }

  #group(): Part {
    const rest = this.#source.slice(this.#at, this.#at + 4)
    if (this.#take(GROUP) === null) {
      const what = /^\(\?<?[=!]/.test(rest) ? 'look-around' : 'a modifier'
      throw new UnsupportedPatternError(`${what} is not supported`)
    }
    const inner = this.alternatives()
    this.#at += 1
    return inner
  }

  #repeated(part: Part): Part {
    const found = this.#take(QUANTIFIER)
    if (found === null) return part
    const [, sign, low, comma, high] = found
    if (sign !== undefined) {
      return { kind: 'repeat', part, low: sign === '+' ? 1 : 0, high: sign === '?' ? 1 : Infinity }
    }
    const least = Number(low)
    const most = comma === undefined ? least : high === '' ? Infinity : Number(high)
    return { kind: 'repeat', part, low: least, high: most }
  }
}

function add<T extends Instruction>(program: Instruction[], instruction: T): T {
  if (program.length >= MAX_PROGRAM) throw new UnsupportedPatternError('the pattern is too large')
  program.push(instruction)
  return instruction
}

function emit(part: Part, program: Instruction[]): void {
  switch (part.kind) {
    case 'set':
      add(program, part)
      break
    case 'assertion':
      add(program, { kind: part.assertion })
      break
    case 'sequence':
      for (const one of part.parts) emit(one, program)
      break
    case 'alternatives':
      emitAlternatives(part.parts, program)
      break
    default:
      emitRepeat(part, program)
  }
}

function emitAlternatives(parts: readonly Part[], program: Instruction[]): void {
  const ends: { to: number }[] = []
  parts.forEach((part, index) => {
    if (index === parts.length - 1) {
      emit(part, program)
      return
    }
    const split = add(program, { kind: 'split', to: program.length + 1, or: 0 })
    emit(part, program)
    ends.push(add(program, { kind: 'jump', to: 0 }))
    split.or = program.length
  })
  for (const end of ends) end.to = program.length
}

function emitRepeat(
  { part, low, high }: Extract<Part, { kind: 'repeat' }>,
  program: Instruction[],
): void {
  for (let n = 0; n < low; n += 1) {
    const before = program.length
    emit(part, program)
    // Repeating a part without instructions has no effect.
    if (program.length === before) return
  }
  if (high === Infinity) {
    const loop = program.length
    const split = add(program, { kind: 'split', to: loop + 1, or: 0 })
    emit(part, program)
    add(program, { kind: 'jump', to: loop })
    split.or = program.length
    return
  }
  for (let n = low; n < high; n += 1) {
    const split = add(program, { kind: 'split', to: program.length + 1, or: 0 })
    emit(part, program)
    split.or = program.length
  }
}

/** The set of a single character or class, determined by the platform's engine. */
function createSet(text: string): CharacterSet {
  const native = new RegExp(`^${text}$`, 'u')
  const known = new Uint8Array(128)
  for (let code = 0; code < 128; code += 1)
    known[code] = native.test(String.fromCodePoint(code)) ? 1 : 0
  return (codePoint) =>
    codePoint < 128 ? known[codePoint] === 1 : native.test(String.fromCodePoint(codePoint))
}
