import { ALL_SCOPES, type ScimScope } from '../base/principal.ts'

/**
 * The rights that the words of a token's scope stand for (SH-45): the required word alone means all of
 * them, names of SC-70 beside it narrow them. Null: the required word is missing.
 */
export function scopesOfWords(
  words: readonly string[],
  requiredScope: string | null,
): readonly ScimScope[] | null {
  if (requiredScope !== null && !words.includes(requiredScope)) return null
  const named = ALL_SCOPES.filter((scope) => words.includes(scope))
  return named.length === 0 ? ALL_SCOPES : named
}

/** The words of a `scope` or `scp` claim, which is a text or a list. */
export function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '')
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
}
