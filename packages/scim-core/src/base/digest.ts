import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { isObject } from '@x/wire'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { builtInModule } from './built-in-module.ts'

/** The one-shot hash of `node:crypto`, a fraction of the cost. */
type NativeHash = (algorithm: 'sha256', data: string, encoding: 'buffer') => Uint8Array

let native: NativeHash | null | undefined

/** SHA-256 of a string. */
export function sha256(text: string): Uint8Array {
  native ??= nativeHash()
  return native === null ? hash(utf8ToBytes(text)) : native('sha256', text, 'buffer')
}

/** Null if the runtime has none. */
function nativeHash(): NativeHash | null {
  const crypto = builtInModule('node:crypto')
  return isObject(crypto) && typeof crypto['hash'] === 'function'
    ? (crypto['hash'] as NativeHash)
    : null
}

/** SHA-256 of a string, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(text))
}

/** HMAC-SHA-256 of a string. */
export function hmacSha256(key: Uint8Array, text: string): Uint8Array {
  return hmac(hash, key, utf8ToBytes(text))
}
