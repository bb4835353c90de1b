import { createLinearPattern, UnsupportedPatternError } from '../data/linear-pattern.ts'
import { isPlainObject } from '../json.ts'

/** Maximum characters of a string matched against a peer's pattern. */
const MAX_TEXT = 10_000

/** The patterns of one catalog. A peer's patterns run in linear time; nothing is shared. */
export class PatternTable {
  /** The host's patterns, which the platform's engine runs. */
  readonly trusted: ReadonlySet<string>
  readonly #testers = new Map<string, (text: string) => boolean>()

  constructor(trusted: ReadonlySet<string>) {
    this.trusted = trusted
  }

  /** Compiles a pattern; returns the problem, or null if it is usable. */
  add(source: string): string | null {
    try {
      this.#testers.set(source, testerOf(source, this.trusted))
      return null
    } catch (error) {
      return error instanceof UnsupportedPatternError
        ? `The pattern cannot run in linear time: ${error.message}.`
        : 'The pattern is not a regular expression.'
    }
  }

  test(source: string, text: string): boolean {
    return this.#testers.get(source)?.(text) === true
  }
}

function testerOf(source: string, trusted: ReadonlySet<string>): (text: string) => boolean {
  if (trusted.has(source)) {
    const native = new RegExp(source, 'u')
    return (text) => native.test(text)
  }
  const pattern = createLinearPattern(source)
  return (text) => text.length <= MAX_TEXT && pattern.test(text)
}

/** All patterns in a host's document. */
export function patternsIn(document: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(document)) for (const item of document) patternsIn(item, found)
  else if (isPlainObject(document)) {
    for (const [key, value] of Object.entries(document)) {
      if (key === 'pattern' && typeof value === 'string') found.add(value)
      else patternsIn(value, found)
    }
  }
  return found
}
