import { decodeBase64Url, encodeBase64Url } from '../base/base64url.ts'
import type { Runtime } from '@x/wire'

/** Encrypts strings at rest; a sealed string can only be opened with the same context. */
export interface Sealer {
  seal(text: string, context: string): Promise<string>
  /** @throws Error for a value encrypted with another key or for another context */
  open(sealed: string, context: string): Promise<string>
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const NONCE = 12

/**
 * AES-256-GCM with a key derived by HKDF-SHA-256 (SH-26).
 * @throws TypeError for a secret key under 32 characters
 */
export function createSealer(secretKey: string, runtime: Pick<Runtime, 'randomBytes'>): Sealer {
  if (typeof secretKey !== 'string' || secretKey.length < 32) {
    throw new TypeError('secretKey must have at least 32 characters')
  }
  let derived: Promise<Key> | undefined
  const key = (): Promise<Key> => (derived ??= deriveKey(secretKey))
  return {
    async seal(text, context) {
      const nonce = new Uint8Array(runtime.randomBytes(NONCE))
      const plain = new TextEncoder().encode(text)
      const box = await crypto.subtle.encrypt(algorithm(nonce, context), await key(), plain)
      return encodeBase64Url(new Uint8Array([...nonce, ...new Uint8Array(box)]))
    },
    async open(sealed, context) {
      const bytes = decodeBase64Url(sealed)
      if (bytes === null) throw new Error('The secret of the endpoint cannot be read')
      const nonce = new Uint8Array(bytes.slice(0, NONCE))
      try {
        const box = new Uint8Array(bytes.slice(NONCE))
        const plain = await crypto.subtle.decrypt(algorithm(nonce, context), await key(), box)
        return new TextDecoder().decode(plain)
      } catch (error) {
        throw new Error('The secret of the endpoint was sealed with another secretKey', {
          cause: error,
        })
      }
    },
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, context: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) }
}

async function deriveKey(secretKey: string): Promise<Key> {
  const encoder = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', encoder.encode(secretKey), 'HKDF', false, [
    'deriveKey',
  ])
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode('scim outbound'),
  }
  const usage = { name: 'AES-GCM', length: 256 }
  return crypto.subtle.deriveKey(derivation, material, usage, false, ['encrypt', 'decrypt'])
}
