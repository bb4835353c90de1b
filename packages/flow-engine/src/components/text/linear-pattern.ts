/** A user-supplied pattern; a search takes time linear in the text. */
export interface LinearPattern {
  /** Searches anywhere in the text. @throws TypeError if the text is too long */
  find(text: string): boolean
  /** Matches only at the start of the text. @throws TypeError if the text is too long */
  matchesAtStart(text: string): boolean
  /**
   * Returns all matches from left to right: the whole match, or the group if the pattern has exactly one.
   * Each match may scan the rest of the text, so the total time is limited.
   * @param limit maximum number of matches; default all
   * @throws TypeError if the text is too long, or the matches take over 250 ms
   */
  all(text: string, limit?: number): string[]
  /**
   * Replaces all matches; `\1` and `\g<name>` in the replacement refer to groups.
   * @throws TypeError as `all` does, and if the replacement refers to an unknown group
   */
  replace(text: string, replacement: string): string
}

/** Maximum number of characters of a text. */
const MAX_TEXT = 1_000_000
/** Maximum number of characters times pattern instructions: about a tenth of a second. */
const MAX_WORK = 40_000_000
const MAX_PATTERN = 10_000
/** Maximum number of characters after replacing. */
const MAX_REPLACED = 10_000_000
/** Milliseconds for all matches in one text. */
const MAX_MATCHING_MS = 250
/** A group name that starts with a digit: the engine accepts it, the syntax does not. */
const NAME_OF_DIGITS = /(?<!\\)\(\?P<\d/

/**
 * Compiles a regular expression in the syntax of exported flows: named groups as `(?P<name>)`, leading flags
 * as `(?i)`, `\A` and `\Z`. Null if it is invalid. Every pattern from a user, a flow or an anonymous client
 * runs on this linear-time engine.
 * @throws TypeError `Not a supported pattern: ...` for look-around and back-references
 */
export async function linearPattern(source: string): Promise<LinearPattern | null> {
  if (source.length > MAX_PATTERN) throw unsupported(`it has more than ${MAX_PATTERN} characters`)
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
          if (made.length > MAX_REPLACED)
            throw unsupported('its replacements make the text too long')
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

/** A group that did not participate is empty. */
function groupOf(matches: Matches, group: number | string): string {
  try {
    return matches.group(group) ?? ''
  } catch (error) {
    throw new TypeError(`The pattern has no group ${group}`, { cause: error })
  }
}

/** Iterates over the matches for at most `MAX_MATCHING_MS`. */
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

/** Splits a replacement into strings and group references. */
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

/**
 * Converts `\Z` to the end of the text and removes `(?u)`, `(?a)`, `(?L)` and `(?x)`, which are accepted but
 * ignored.
 */
function toAutomaton(source: string): string {
  const [front = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(source) ?? []
  const flags = letters.replaceAll(/[^ims]/g, '')
  const rest = source
    .slice(front.length)
    .replaceAll(/\\([\s\S])/g, (part, escaped: string) => (escaped === 'Z' ? '\\z' : part))
  return flags === '' ? rest : `(?${flags})${rest}`
}

/** Tests whether a string is valid for a backtracking engine. It is only parsed, never run. */
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
