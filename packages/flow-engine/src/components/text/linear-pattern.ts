/** A pattern that a user gave; looking takes time in proportion to the text (abuse.md AB-30). */
export interface LinearPattern {
  /** Anywhere in the text. @throws TypeError for a text that is too long */
  find(text: string): boolean
  /** At the very start of the text. @throws TypeError for a text that is too long */
  matchesAtStart(text: string): boolean
  /**
   * All matches from left to right: the whole match, or its group where the pattern has just one. Each
   * match may look through the rest of the text, so all together are bounded by time.
   * @throws TypeError for a text that is too long, or when the matches take over 250 ms
   */
  all(text: string): string[]
}

/** Characters of one text. */
const MAX_TEXT = 1_000_000
/** Characters times steps of the pattern: about a tenth of a second. */
const MAX_WORK = 40_000_000
const MAX_PATTERN = 10_000
/** Milliseconds that all matches in one text may take. */
const MAX_MATCHING_MS = 250
/** A group whose name begins with a digit: the automaton takes it, the notation does not. */
const NAME_OF_DIGITS = /(?<!\\)\(\?P<\d/

/**
 * A regular expression in the notation that exported flows use: named groups as `(?P<name>)`,
 * flags in front as `(?i)`, `\A` and `\Z`. null when it is none. Every pattern of a user, a flow or
 * a stranger is read here, by an automaton.
 * @throws TypeError `Not a supported pattern: ...` for what an automaton cannot do: look-around, back references
 */
export async function linearPattern(source: string): Promise<LinearPattern | null> {
  if (source.length > MAX_PATTERN) throw unsupported(`it has over ${MAX_PATTERN} characters`)
  if (NAME_OF_DIGITS.test(source)) return null
  const { RE2JS } = await import('re2js')
  let compiled
  try {
    compiled = RE2JS.compile(toAutomaton(source))
  } catch (error) {
    if (!isPattern(source)) return null
    throw unsupported(source, error)
  }
  const pattern = compiled
  const size = pattern.programSize()
  const matcher = (text: string) => {
    if (text.length > MAX_TEXT) {
      throw new TypeError(`The text is too long for a pattern (limit ${MAX_TEXT} characters)`)
    }
    if (text.length * size > MAX_WORK) {
      throw unsupported(`it is too large for a text of ${text.length} characters`)
    }
    return pattern.matcher(text)
  }
  return {
    find: (text) => matcher(text).find(),
    matchesAtStart: (text) => matcher(text).lookingAt(),
    all(text) {
      const found: string[] = []
      const matches = matcher(text)
      const group = matches.groupCount() === 1 ? 1 : 0
      const end = performance.now() + MAX_MATCHING_MS
      while (matches.find()) {
        found.push(matches.group(group) ?? '')
        if (performance.now() > end) {
          throw unsupported(`its matches in ${text.length} characters take too long`)
        }
      }
      return found
    },
  }
}

function unsupported(what: string, cause?: unknown): TypeError {
  return new TypeError(`Not a supported pattern: ${what}`, { cause })
}

/** `\Z` is the end of the text, `(?u)`, `(?a)`, `(?L)` and `(?x)` are taken and change nothing. */
function toAutomaton(source: string): string {
  const [front = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(source) ?? []
  const flags = letters.replaceAll(/[^ims]/g, '')
  const rest = source
    .slice(front.length)
    .replaceAll(/\\([\s\S])/g, (part, escaped: string) => (escaped === 'Z' ? '\\z' : part))
  return flags === '' ? rest : `(?${flags})${rest}`
}

/** Whether it is a pattern for an engine that goes back and forth. It is only read, never run. */
function isPattern(source: string): boolean {
  const plain = source
    .replace(/^\(\?[aiLmsux]+\)/, '')
    .replaceAll(/\\([\s\S])|\(\?P<|\(\?P=(\w+)\)/g, (part, escaped?: string, name?: string) => {
      if (name !== undefined) return `\\k<${name}>`
      if (escaped === 'A' || escaped === 'Z') return '\\b'
      return escaped === undefined ? '(?<' : part
    })
  try {
    return new RegExp(plain) instanceof RegExp
  } catch {
    return false
  }
}
