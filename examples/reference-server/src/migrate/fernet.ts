import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

const VERSION = 0x80
const KEY = 32
const MAC = 32
/** Length of version, time and initialisation vector. */
const HEAD = 1 + 8 + 16

/**
 * Decrypts Fernet tokens (github.com/fernet/spec) with the other service's secret key: 32 bytes as
 * base64url. Null for a secret in another format.
 */
export function createFernetReader(secret: string): ((token: string) => string | null) | null {
  const key = Buffer.from(secret, 'base64url')
  if (key.length !== KEY) return null
  const signing = key.subarray(0, KEY / 2)
  const encryption = key.subarray(KEY / 2)
  return (token) => {
    const bytes = Buffer.from(token, 'base64url')
    if (bytes.length <= HEAD + MAC || bytes[0] !== VERSION) return null
    const signed = bytes.subarray(0, -MAC)
    const mac = createHmac('sha256', signing).update(signed).digest()
    if (!timingSafeEqual(mac, bytes.subarray(-MAC))) return null
    try {
      const decipher = createDecipheriv('aes-128-cbc', encryption, signed.subarray(9, HEAD))
      return Buffer.concat([decipher.update(signed.subarray(HEAD)), decipher.final()]).toString()
    } catch {
      return null
    }
  }
}
