import { createTextCipher, decodeBase64Url, encodeBase64Url, type Runtime } from '@x/wire'

/** Encrypts strings at rest; a sealed string can only be opened with the same context. */
export interface Sealer {
  seal(text: string, context: string): Promise<string>
  /** @throws Error for a value encrypted with another key or for another context */
  open(sealed: string, context: string): Promise<string>
}

/**
 * AES-256-GCM with a key derived by HKDF-SHA-256.
 * @throws TypeError for a secret key under 32 characters
 */
export function createSealer(secretKey: string, runtime: Pick<Runtime, 'randomBytes'>): Sealer {
  if (typeof secretKey !== 'string' || secretKey.length < 32) {
    throw new TypeError('secretKey must have at least 32 characters')
  }
  const secret = new TextEncoder().encode(secretKey)
  const cipher = createTextCipher(secret, { info: 'scim outbound', runtime })
  return {
    seal: async (text, context) => encodeBase64Url(await cipher.encrypt(text, context)),
    async open(sealed, context) {
      const bytes = decodeBase64Url(sealed)
      if (bytes === null) throw new Error('The secret of the endpoint cannot be read')
      try {
        return await cipher.decrypt(bytes, context)
      } catch (error) {
        throw new Error('The secret of the endpoint was sealed with another secretKey', {
          cause: error,
        })
      }
    },
  }
}
