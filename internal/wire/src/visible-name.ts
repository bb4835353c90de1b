/**
 * Characters that are invisible or reorder others: controls, zero-width and bidirectional characters,
 * variation selectors, fillers, and all spaces except U+0020 (as in RFC 8264).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** True if a name has no invisible characters, which could make it look like another name. */
export function isVisibleName(name: string): boolean {
  return !INVISIBLE.test(name)
}
