/**
 * Characters that nobody sees, or that change the order of others: controls, zero-width and bidirectional
 * ones, variation selectors, fillers, and all spaces but the plain one (as RFC 8264 refuses them).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** Whether a name can be told from others by looking at it, as far as invisible characters go. */
export function isVisibleName(name: string): boolean {
  return !UNSEEN.test(name)
}
