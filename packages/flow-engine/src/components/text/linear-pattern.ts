/** A pattern that a user gave; looking takes time in proportion to the text (abuse.md AB-30). */
export interface LinearPattern {
  /** Anywhere in the text. @throws TypeError for a text that is too long */
  find(text: string): boolean
  /** At the very start of the text. @throws TypeError for a text that is too long */
  matchesAtStart(text: string): boolean
  /**
   * All matches from left to right: the whole match, or its group where the pattern has just one. Each
   * match may look through the rest of the text, so all together are bounded by time.
   * @param limit how many; default all
   * @throws TypeError for a text that is too long, or when the matches take over 250 ms
   */
  all(text: string, limit?: number): string[]
  /**
   * The text with each match replaced; `\1` and `\g<name>` in the replacement stand for groups.
   * @throws TypeError as `all` does, and for a replacement that names no group
   */
  replace(text: string, replacement: string): string
}

/** Characters of one text. */
const MAX_TEXT = 1_000_000
/** Characters times steps of the pattern: about a tenth of a second. */
const MAX_WORK = 40_000_000
const MAX_PATTERN = 10_000
/** Characters of a text after its replacements. */
const MAX_REPLACED = 10_000_000
/** Milliseconds that all matches in one text may take. */
const MAX_MATCHING_MS = 250
/** A group whose name begins with a digit: the automaton takes it, the notation does not. */
const NAME_OF_DIGITS = /(?<!\\)\(\?P<\d/

/**
 * A regular expression in the notation that exported flows use: named groups as `(?P<name>)`, flags
 * in front as `(?i)`, `\A` and `\Z`. Null for an invalid one. Every pattern of a user, a flow or an
 * anonymous client is run by this automaton.
 * @throws TypeError `Not a supported pattern: ...` for look-around and back references
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
    all(text, limit = Infinity) {
      const found: string[] = []
      const matches = matcher(text)
      const group = matches.groupCount() === 1 ? 1 : 0
      for (const _ of eachMatch(matches, text)) {
        found.push(matches.group(group) ?? '')
        if (found.length >= limit) break
      }
      return found
    },
    replace(text, replacement) {
      const parts = replacementParts(replacement)
      const matches = matcher(text)
      let made = ''
      let at = 0
      for (const _ of eachMatch(matches, text)) {
        made += text.slice(at, matches.start())
        for (const part of parts) {
          made += typeof part === 'string' ? part : groupOf(matches, part.group)
          if (made.length > MAX_REPLACED) throw unsupported('its replacements grow too long')
        }
        at = matches.end()
      }
      return made + text.slice(at)
    },
  }
}

interface Matches {
  find(): boolean
  group(group: number | string): string | null
}

/** A group that took no part is empty. */
function groupOf(matches: Matches, group: number | string): string {
  try {
    return matches.group(group) ?? ''
  } catch (error) {
    throw new TypeError(`The pattern has no group ${group}`, { cause: error })
  }
}

/** Goes from match to match for at most `MAX_MATCHING_MS`. */
function* eachMatch(matches: Matches, text: string): Generator<void> {
  const end = performance.now() + MAX_MATCHING_MS
  while (matches.find()) {
    yield
    if (performance.now() > end) {
      throw unsupported(`its matches in ${text.length} characters take too long`)
    }
  }
}

const GROUP = /\\(?:g<(\w+)>|(\d{1,2})|(\W)|n)/g

/** A replacement as texts and the groups between them. */
function replacementParts(source: string): (string | { readonly group: number | string })[] {
  const parts: (string | { group: number | string })[] = []
  let at = 0
  for (const match of source.matchAll(GROUP)) {
    const [whole, named, numbered, escaped] = match
    parts.push(source.slice(at, match.index))
    at = match.index + whole.length
    const group = named ?? numbered
    if (group === undefined) parts.push(escaped ?? '\n')
    else parts.push({ group: /^\d+$/.test(group) ? Number(group) : group })
  }
  parts.push(source.slice(at))
  return parts
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

/**
 * Tells whether a string is a valid pattern for a backtracking engine. It is only parsed, never run.
 */
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
