import { SPECIAL_V4, SPECIAL_V6 } from '@x/wire'
import { createAddressFilter } from '../base/addresses.ts'

/** IPv6 ranges that embed an IPv4 address; a receiver has no need of them. */
const EMBEDDING = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96']

const isClosed = createAddressFilter([...SPECIAL_V4, ...SPECIAL_V6, ...EMBEDDING])

const isLoopback = createAddressFilter(['127.0.0.0/8', '::1/128'])

/** Returns whether deliveries must not connect to a resolved address. */
export function isClosedAddress(address: string): boolean {
  return isClosed(address)
}

/**
 * Validates a receiver's URL.
 * @throws TypeError unless it is a public https URL; with `allowLoopback` loopback and private ones are
 * accepted
 */
export function readTargetUrl(text: unknown, allowLoopback: boolean): string {
  const refused = new TypeError('The webhook address must be a public https URL')
  if (typeof text !== 'string' || text.length > 2_048 || !URL.canParse(text)) throw refused
  const { protocol, hostname, username, password, href } = new URL(text)
  if (username !== '' || password !== '') throw refused
  const host = hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  const isLocalName = host === 'localhost' || host.endsWith('.localhost')
  const isLocal = isLocalName || isLoopback(host)
  if (protocol === 'http:' && !(allowLoopback && isLocal)) throw refused
  if (protocol !== 'http:' && protocol !== 'https:') throw refused
  if (!allowLoopback && (isLocalName || isClosed(host))) throw refused
  return href
}
