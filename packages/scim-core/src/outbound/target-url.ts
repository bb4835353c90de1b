import { createAddressGuard, type AddressGuard } from '@x/wire'
import { createAddressFilter } from '../base/addresses.ts'

/** Keeps receivers out of the host's own network. */
export const receiverGuard: AddressGuard = createAddressGuard(
  [],
  () => new Error('The name of the receiver points to a private address'),
)

const isLoopback = createAddressFilter(['127.0.0.0/8', '::1/128'])

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
  if (!allowLoopback && (isLocalName || receiverGuard.refusal(host) !== undefined)) throw refused
  return href
}
