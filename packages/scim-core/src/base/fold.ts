/**
 * The form in which strings are compared where case does not count: NFKC, then lower case (SC-38), with
 * the final sigma as any other, so that a word keeps its prefixes (SH-71). Keys of unique indexes are made
 * with it.
 */
export function fold(text: string): string {
  if (!UNUSUAL.test(text)) return text.toLowerCase()
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ')
}

/** Anything but printable ASCII, which NFKC leaves as it is. */
const UNUSUAL = /[^ -~]/

/** Orders strings by code point, as UTF-8 bytes do: -1, 0 or 1. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) < rank(y) ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

/** Surrogates encode code points above all others. */
function rank(unit: number): number {
  if (unit < 0xd8_00) return unit
  return unit > 0xdf_ff ? unit - 0x8_00 : unit + 0x20_00
}
