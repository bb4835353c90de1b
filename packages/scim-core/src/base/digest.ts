import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** SHA-256 of a string. */
export function sha256(text: string): Uint8Array {
  return hash(utf8ToBytes(text))
}

/** SHA-256 of a string, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(text))
}

/** HMAC-SHA-256 of a string. */
export function hmacSha256(key: Uint8Array, text: string): Uint8Array {
  return hmac(hash, key, utf8ToBytes(text))
}
