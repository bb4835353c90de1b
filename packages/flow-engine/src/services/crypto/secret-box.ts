import type { Runtime } from '@x/wire'

/** Encrypts strings at rest. A sealed string can only be opened with the same `context`. */
export interface SecretBox {
  /** Returns an opaque string of at least 40 printable characters. */
  seal(text: string, context: string): Promise<string>
  /** Null unless this box sealed the string for that context. */
  open(sealed: string, context: string): Promise<string | null>
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const PREFIX = 'v1.'
const NONCE = 12

/**
 * The box `createFlowEngine` encrypts variables with, for programs that write to its store. `secretKey`: the
 * bytes of the engine's secret key (UTF-8 for a string). AES-256-GCM over WebCrypto; the key is derived with
 * HKDF-SHA-256 (info `variables`), the context is additional authenticated data. Format: `v1.` +
 * base64url(nonce, ciphertext, tag).
 */
export function createSecretBox(secretKey: Uint8Array, runtime: Runtime): SecretBox {
  let derived: Promise<Key> | undefined
  const key = (): Promise<Key> => (derived ??= deriveKey(secretKey))
  return {
    async seal(text, context) {
      const nonce = new Uint8Array(runtime.randomBytes(NONCE))
      const plain = new TextEncoder().encode(text)
      const box = await crypto.subtle.encrypt(parameters(nonce, context), await key(), plain)
      const bytes = new Uint8Array(NONCE + box.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(box), NONCE)
      return PREFIX + toBase64Url(bytes)
    },
    async open(sealed, context) {
      const bytes = sealed.startsWith(PREFIX) ? fromBase64Url(sealed.slice(PREFIX.length)) : null
      if (bytes === null || bytes.length <= NONCE) return null
      const nonce = bytes.slice(0, NONCE)
      try {
        const plain = await crypto.subtle.decrypt(
          parameters(nonce, context),
          await key(),
          bytes.slice(NONCE),
        )
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(plain)
      } catch {
        return null
      }
    },
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, context: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) }
}

async function deriveKey(secretKey: Uint8Array): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(secretKey), 'HKDF', false, [
    'deriveKey',
  ])
  return await crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode('variables'),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** Encodes base64url without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64url; null for invalid input. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text)) return null
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    // An iteration by `Uint8Array.from` takes twenty times as long.
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch {
    return null
  }
}
