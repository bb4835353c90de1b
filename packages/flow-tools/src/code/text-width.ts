/** Longest line of a source. */
export const MAX_WIDTH = 100

/** The columns that a text takes: two for signs of East Asia and pictures, none for marks. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7f]*$/.test(text)) return text.length
  const plain = text.replaceAll(PICTURE, '  ').replaceAll(NO_WIDTH, '')
  return Array.from(plain).reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0)
}

const PICTURE = new RegExp(String.raw`\p{RGI_Emoji}`, 'gv')
const NO_WIDTH = /[\p{Cc}\u0300-\u036f\ufe00-\ufe0f]/gu
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
