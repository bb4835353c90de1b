import type { Runtime } from './runtime.ts'

/** Encrypts strings. The bytes can be decrypted only with the same key and the same `context`. */
export interface TextCipher {
  /** A fresh nonce, followed by the ciphertext and its tag. */
  encrypt(text: string, context: string): Promise<Uint8Array<ArrayBuffer>>
  /** Rejects for bytes of another key or context, and for bytes that were changed. */
  decrypt(bytes: Uint8Array<ArrayBuffer>, context: string): Promise<string>
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const NONCE_BYTES = 12

/**
 * AES-256-GCM over WebCrypto. The key is derived from `secret` with HKDF-SHA-256 on first use, so that one
 * secret serves several purposes (`info`); the context is additional authenticated data. Of several secrets the
 * first one encrypts; the others decrypt what was encrypted before it.
 */
export function createTextCipher(
  secrets: Uint8Array | readonly Uint8Array[],
  { info, runtime }: { readonly info: string; readonly runtime: Pick<Runtime, 'randomBytes'> },
): TextCipher {
  const keys = (secrets instanceof Uint8Array ? [secrets] : secrets).map((secret) => {
    let derived: Promise<Key> | undefined
    return (): Promise<Key> => (derived ??= deriveKey(secret, info))
  })
  const [current] = keys
  if (current === undefined) throw new TypeError('A cipher needs a secret')
  return {
    async encrypt(text, context) {
      const nonce = new Uint8Array(runtime.randomBytes(NONCE_BYTES))
      const plain = new TextEncoder().encode(text)
      const sealed = await crypto.subtle.encrypt(algorithm(nonce, context), await current(), plain)
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(sealed), NONCE_BYTES)
      return bytes
    },
    async decrypt(bytes, context) {
      const nonce = bytes.slice(0, NONCE_BYTES)
      const sealed = bytes.slice(NONCE_BYTES)
      const openedBy = async (key: () => Promise<Key>): Promise<string> => {
        const plain = await crypto.subtle.decrypt(algorithm(nonce, context), await key(), sealed)
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(plain)
      }
      let failure: unknown
      for (const key of keys) {
        try {
          return await openedBy(key)
        } catch (error) {
          failure ??= error
        }
      }
      throw failure
    },
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, context: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) }
}

async function deriveKey(secret: Uint8Array, info: string): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, [
    'deriveKey',
  ])
  return await crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(info),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}
