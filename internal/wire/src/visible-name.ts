/**
 * Characters that are invisible, or that change the order of others: controls, zero-width and bidirectional
 * ones, variation selectors, fillers, and all spaces but the plain one (as RFC 8264 refuses them).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** True if a name has no invisible characters, which would make it look like another name. */
export function isVisibleName(name: string): boolean {
  return !UNSEEN.test(name)
}
