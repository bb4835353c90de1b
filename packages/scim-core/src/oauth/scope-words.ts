import { ALL_SCOPES, type ScimScope } from '../base/principal.ts'

/**
 * Maps a token's scope words to scopes: the required word alone grants all, additional words in the
 * form of a scope narrow them. Null if the required word is missing.
 */
export function scopesOfWords(
  words: readonly string[],
  requiredScope: string | null,
): readonly ScimScope[] | null {
  if (requiredScope !== null && !words.includes(requiredScope)) return null
  const named = words.filter(isScope)
  return named.length === 0 ? ALL_SCOPES : named
}

/** Scopes of a host's own types have names of their own, and narrow the rights too. */
function isScope(word: string): word is ScimScope {
  return /^[a-z][a-z0-9-]*:(?:read|write)$/.test(word)
}

/** The words of a `scope` or `scp` claim, which is a string or an array. */
export function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '')
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
}
