import { encodeBase64Url, type Runtime } from '@x/wire'

/** A new secret with a prefix: 32 random bytes as 43 characters of base64url. */
export function createSecret(prefix: string, runtime: Pick<Runtime, 'randomBytes'>): string {
  return `${prefix}_${encodeBase64Url(runtime.randomBytes(32))}`
}

/** SHA-256 in hexadecimal digits; only this is stored. */
export async function digestOf(secret: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
