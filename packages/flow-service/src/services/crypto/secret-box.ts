import { createTextCipher, decodeBase64Url, encodeBase64Url, type Runtime } from '@x/wire'

/** Encrypts strings at rest. A sealed string can only be opened with the same `context`. */
export interface SecretBox {
  /** Returns an opaque string of at least 40 printable characters. */
  seal(text: string, context: string): Promise<string>
  /** Null unless this box sealed the string for that context. */
  open(sealed: string, context: string): Promise<string | null>
}

const PREFIX = 'v1.'

/**
 * The box `createFlowService` encrypts variables with, for programs that write to its store. `secretKey`: the
 * bytes of the engine's secret key (UTF-8 for a string). AES-256-GCM over WebCrypto; the key is derived with
 * HKDF-SHA-256 (info `variables`), the context is additional authenticated data. Format: `v1.` +
 * base64url(nonce, ciphertext, tag).
 */
export function createSecretBox(secretKey: Uint8Array, runtime: Runtime): SecretBox {
  const cipher = createTextCipher(secretKey, { info: 'variables', runtime })
  return {
    seal: async (text, context) => PREFIX + encodeBase64Url(await cipher.encrypt(text, context)),
    async open(sealed, context) {
      const bytes = sealed.startsWith(PREFIX) ? decodeBase64Url(sealed.slice(PREFIX.length)) : null
      return bytes === null ? null : await cipher.decrypt(bytes, context).catch(() => null)
    },
  }
}
