import { compileProgram, type Instruction } from './pattern-program.ts'

export { UnsupportedPatternError } from './pattern-program.ts'

/** A regular expression matched in time linear in the string. */
export interface LinearPattern {
  /** Returns whether the pattern matches anywhere in a string. */
  test(text: string): boolean
}

/**
 * Builds an automaton for a regular expression with the semantics of the `u` flag.
 * @throws SyntaxError if it is invalid; UnsupportedPatternError if no automaton can match it
 */
export function createLinearPattern(source: string): LinearPattern {
  const automaton = new Automaton(compileProgram(source))
  return { test: (text) => automaton.test(text) }
}

/** The kind of character next to a position. */
type Side = 'edge' | 'word' | 'other'

/** Program positions at which the next character is matched. */
interface State {
  readonly kernel: readonly number[]
  readonly before: Side
  /** Positions of open character sets by following side; null once the pattern has matched. */
  readonly open: Map<Side, readonly number[] | null>
  readonly next: Map<number, State>
}

/** Maximum cached states; beyond that the cache is cleared. */
const MAX_STATES = 1000

class Automaton {
  readonly #program: readonly Instruction[]
  #states = new Map<string, State>()
  #transitions = 0

  constructor(program: readonly Instruction[]) {
    this.#program = program
  }

  test(text: string): boolean {
    let state = this.#stateOf([0], 'edge')
    for (let at = 0; at < text.length;) {
      const code = text.codePointAt(at) ?? 0
      const next = state.next.get(code) ?? this.#step(state, code)
      if (next === null) return true
      state = next
      at += code > 0xffff ? 2 : 1
    }
    return this.#openOf(state, 'edge') === null
  }

  /** The state after a character; null if the pattern has matched before it. */
  #step(state: State, code: number): State | null {
    const side = sideOf(code)
    const open = this.#openOf(state, side)
    if (open === null) return null
    // A match may start anywhere.
    const kernel = new Set([0])
    for (const position of open) {
      const instruction = this.#program[position]
      if (instruction?.kind === 'set' && instruction.set(code)) kernel.add(position + 1)
    }
    this.#transitions += 1
    if (this.#transitions > 16 * MAX_STATES || this.#states.size > MAX_STATES) {
      this.#states = new Map()
      this.#transitions = 0
      return this.#stateOf([...kernel].toSorted(ascending), side)
    }
    const next = this.#stateOf([...kernel].toSorted(ascending), side)
    state.next.set(code, next)
    return next
  }

  #stateOf(kernel: readonly number[], before: Side): State {
    const key = `${before} ${kernel.join()}`
    const known = this.#states.get(key)
    if (known !== undefined) return known
    const made: State = { kernel, before, open: new Map(), next: new Map() }
    this.#states.set(key, made)
    return made
  }

  #openOf(state: State, after: Side): readonly number[] | null {
    const known = state.open.get(after)
    if (known !== undefined) return known
    const found = this.#follow(state, after)
    state.open.set(after, found)
    return found
  }

  /** Follows all transitions that consume no character. */
  #follow({ kernel, before }: State, after: Side): readonly number[] | null {
    const seen = new Set(kernel)
    const open: number[] = []
    for (const position of seen) {
      const instruction = this.#program[position]
      switch (instruction?.kind) {
        case 'match':
          return null
        case 'set':
          open.push(position)
          break
        case 'jump':
          seen.add(instruction.to)
          break
        case 'split':
          seen.add(instruction.to).add(instruction.or)
          break
        default:
          if (instruction !== undefined && holds(instruction.kind, before, after)) {
            seen.add(position + 1)
          }
      }
    }
    return open
  }
}

function ascending(a: number, b: number): number {
  return a - b
}

function holds(
  assertion: 'start' | 'end' | 'boundary' | 'inside',
  before: Side,
  after: Side,
): boolean {
  if (assertion === 'start') return before === 'edge'
  if (assertion === 'end') return after === 'edge'
  const isBoundary = (before === 'word') !== (after === 'word')
  return assertion === 'boundary' ? isBoundary : !isBoundary
}

function sideOf(code: number): Side {
  const isWord =
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 97 && code <= 122)
  return isWord ? 'word' : 'other'
}
