/** The characters at 0x80 to 0x9F in Windows-1252. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'

/**
 * Decodes Windows-1252 (WHATWG Encoding, 9.1). Some versions of Node.js decode it as ISO 8859-1 instead,
 * which has control characters at 0x80 to 0x9F.
 */
export function decodeWindows(bytes: Uint8Array): string {
  return new TextDecoder('windows-1252')
    .decode(bytes)
    .replaceAll(/[\u0080-\u009F]/g, (char) => WINDOWS.charAt(char.charCodeAt(0) - 0x80))
}
