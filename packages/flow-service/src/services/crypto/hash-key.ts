import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Hashes an API key with SHA-256, in hex: keys contain 256 random bits, so no salt is needed. */
export function hashKey(key: string): string {
  return bytesToHex(sha256(utf8ToBytes(key)))
}
