/**
 * Normalises strings for case-insensitive comparison: NFKC, then lower case, with the final sigma
 * replaced by the ordinary one, so that prefixes of a word are preserved. Also used for keys of
 * unique indexes.
 */
export function fold(text: string): string {
  if (!UNUSUAL.test(text)) return text.toLowerCase()
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ')
}

/** The key by which user names are compared and found (`userNameKey`), and of their unique index. */
export const nameKey = (userName: string): string => fold(userName)

/** A group's name in the form names are compared in: white space at the ends does not distinguish. */
export function groupNameKey(name: string): string {
  return fold(name.trim())
}

/** Anything but printable ASCII, which NFKC does not change. */
const UNUSUAL = /[^ -~]/

/** Compares strings by code point, like their UTF-8 bytes: -1, 0 or 1. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) < rank(y) ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

/** Surrogates represent code points above all others. */
function rank(unit: number): number {
  if (unit < 0xd8_00) return unit
  return unit > 0xdf_ff ? unit - 0x8_00 : unit + 0x20_00
}
