/** Characters of one call: an engine takes only so many arguments. */
const STEP = 8192

/** Bytes as base64 (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += STEP) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + STEP)))
  }
  return btoa(parts.join(''))
}

/**
 * The bytes of a base64 text.
 * @throws DOMException for a text of other characters
 */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
