const ALPHABET = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
)
const PADDING = 0x3d
const ascii = new TextDecoder('latin1')

/** Encodes base64 (RFC 4648 section 4). Six times as fast as `btoa`, which needs a binary string. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  let end = 0
  for (let at = 0; at < bytes.length; at += 3) {
    const first = bytes[at] ?? 0
    const second = bytes[at + 1] ?? 0
    const third = bytes[at + 2] ?? 0
    text[end] = ALPHABET[first >> 2] ?? 0
    text[end + 1] = ALPHABET[((first & 3) << 4) | (second >> 4)] ?? 0
    text[end + 2] = ALPHABET[((second & 15) << 2) | (third >> 6)] ?? 0
    text[end + 3] = ALPHABET[third & 63] ?? 0
    end += 4
  }
  const rest = bytes.length % 3
  if (rest > 0) text.fill(PADDING, text.length - 3 + rest)
  return ascii.decode(text)
}

/**
 * Decodes base64.
 * @throws DOMException for invalid characters
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const units = atob(text)
  // An iteration by `Uint8Array.from` takes twenty times as long.
  const bytes = new Uint8Array(units.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = units.charCodeAt(at)
  return bytes
}

/** Encodes base64url without padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64url; null for an invalid string. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}
