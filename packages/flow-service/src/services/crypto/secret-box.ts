import {
  createTextCipher,
  decodeBase64Url,
  encodeBase64Url,
  type Runtime,
  type TextCipher,
} from '@x/wire'

/** Encrypts strings at rest. A sealed string can only be opened with the same `context`. */
export interface SecretBox {
  /** Returns an opaque string of at least 40 printable characters. */
  seal(text: string, context: string): Promise<string>
  /** Null unless this box sealed the string for that context. */
  open(sealed: string, context: string): Promise<string | null>
  /** True if the current key has sealed it. Without this method nothing is known to be sealed with it. */
  isCurrent?(sealed: string, context: string): Promise<boolean>
}

const PREFIX = 'v1.'

/**
 * The box `createFlowService` encrypts variables with, for programs that write to its store. `secretKey`: the
 * bytes of the engine's secret key (UTF-8 for a string), or of several, the current one first. AES-256-GCM over WebCrypto; the key is derived with
 * HKDF-SHA-256 (info `variables`), the context is additional authenticated data. Format: `v1.` +
 * base64url(nonce, ciphertext, tag).
 */
export function createSecretBox(
  secretKey: Uint8Array | readonly Uint8Array[],
  runtime: Runtime,
): SecretBox {
  const options = { info: 'variables', runtime }
  const cipher = createTextCipher(secretKey, options)
  const [newest = new Uint8Array()] = secretKey instanceof Uint8Array ? [secretKey] : secretKey
  const current = createTextCipher(newest, options)
  const openedBy = async (one: TextCipher, sealed: string, context: string) => {
    const bytes = sealed.startsWith(PREFIX) ? decodeBase64Url(sealed.slice(PREFIX.length)) : null
    return bytes === null ? null : await one.decrypt(bytes, context).catch(() => null)
  }
  return {
    seal: async (text, context) => PREFIX + encodeBase64Url(await cipher.encrypt(text, context)),
    open: (sealed, context) => openedBy(cipher, sealed, context),
    isCurrent: async (sealed, context) => (await openedBy(current, sealed, context)) !== null,
  }
}
