/**
 * Thrown for an address that must not be fetched. The message contains the host as written,
 * never the address it resolves to.
 */
export class AddressBlockedError extends Error {
  readonly code = 'address_blocked'

  constructor(host: string) {
    super(`Address ${host.replace(/^\[(.*)\]$/, '$1')} is not allowed (SERVICE_SSRF_ALLOW)`)
    this.name = 'AddressBlockedError'
  }
}
