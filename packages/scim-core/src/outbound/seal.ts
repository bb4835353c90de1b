import {
  createTextCipher,
  decodeBase64Url,
  encodeBase64Url,
  secretBytes,
  type Runtime,
} from '@x/wire'

/** Encrypts strings at rest; a sealed string can only be opened with the same context. */
export interface Sealer {
  seal(text: string, context: string): Promise<string>
  /** @throws Error for a value encrypted with another key or for another context */
  open(sealed: string, context: string): Promise<string>
}

/**
 * AES-256-GCM with a key derived by HKDF-SHA-256. Earlier secret keys after the current one still open values.
 * @throws TypeError for a secret key under 32 characters
 */
export function createSealer(
  secretKey: string | readonly string[],
  runtime: Pick<Runtime, 'randomBytes'>,
): Sealer {
  const keys: readonly unknown[] = Array.isArray(secretKey) ? secretKey : [secretKey]
  const isKey = (key: unknown): key is string => typeof key === 'string' && key.length >= 32
  if (keys.length === 0 || !keys.every(isKey))
    throw new TypeError('secretKey must have at least 32 characters')
  const cipher = createTextCipher(secretBytes(keys), { info: 'scim outbound', runtime })
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
