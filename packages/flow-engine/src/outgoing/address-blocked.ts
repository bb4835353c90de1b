/**
 * An address that must not be fetched (abuse.md AB-40). Says the host as it was written, never the
 * address it leads to.
 */
export class AddressBlockedError extends Error {
  readonly code = 'address_blocked'

  constructor(host: string) {
    super(`Address ${host.replace(/^\[(.*)\]$/, '$1')} is not allowed (SERVICE_SSRF_ALLOW)`)
    this.name = 'AddressBlockedError'
  }
}
