import { decodeBase64Url, encodeBase64Url } from '@x/wire'
import type { Connection, ConnectionStore } from '../store/connections.ts'

/** The tag in a token of a connection, which may be cut off, or stand in another scheme or between quotes. */
const TAGGED = /(?:^|[\s"'])scim_([\w-]{10})_/

const HEX_DIGITS = 15

/**
 * The tag of a connection's secrets: the random part of the first half of its id, ten characters of
 * base64url, which is not secret. undefined for an id that is no random UUID.
 */
export function connectionTag(id: string): string | undefined {
  if (!/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/.test(id)) return undefined
  // The digit of the version lies between them; a zero fills the last byte.
  const digits = `${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}0`
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return encodeBase64Url(bytes).slice(0, 10)
}

/** The connection that a credential names by its tag, whether or not the rest is right. */
export async function connectionOfTag(
  store: ConnectionStore,
  text: string,
): Promise<Connection | null> {
  const tag = TAGGED.exec(text)?.[1]
  if (tag === undefined || store.page === undefined) return null
  const bytes = decodeBase64Url(`${tag}A`)
  if (bytes === null) return null
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const half = digits.slice(0, HEX_DIGITS)
  const start = `${half.slice(0, 8)}-${half.slice(8, 12)}-4${half.slice(12)}-`
  // Ids are ordered, so the first one after the start of the id is the connection, if there is one.
  const [found] = await store.page({ after: start, limit: 1 })
  return found?.id.startsWith(start) === true ? found : null
}
