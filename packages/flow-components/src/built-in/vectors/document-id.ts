import { sha1 } from '@noble/hashes/legacy.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Document } from './ingest.ts'

/** The URL namespace (RFC 9562, section 6.6). */
const NAMESPACE = hexToBytes('6ba7b8119dad11d180b400c04fd430c8')

/** Derives a version 5 UUID from text and metadata, so that a document ingested twice is stored once. */
export function documentId({ text, metadata }: Document): string {
  const name = new TextEncoder().encode(JSON.stringify([text, metadata]))
  const bytes = sha1(concatBytes(NAMESPACE, name)).subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytesToHex(bytes)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
