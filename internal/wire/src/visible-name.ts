/**
 * Characters that are invisible or reorder others: controls, zero-width and bidirectional characters,
 * variation selectors, fillers, and all spaces except U+0020 (as in RFC 8264).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

const LATIN = /\p{Script=Latin}/u
/** Letters of scripts that are not written together with Latin ones in one word (as in UTS #39). */
const APART =
  /(?!\p{Script=Latin}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Bopomofo}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u

/** The reason why a name could be taken for another one, as the end of a sentence about its field; null: none. */
export function nameProblem(name: string): string | null {
  if (UNSEEN.test(name)) return 'must not contain invisible characters'
  if (/^ | $| {2}/.test(name))
    return 'must not begin or end with a space, or contain two spaces in a row'
  const words = name.split(/[^\p{L}\p{M}\p{N}]+/u)
  if (words.some((word) => LATIN.test(word) && APART.test(word)))
    return 'must not mix Latin letters with similar ones of other scripts'
  return null
}
