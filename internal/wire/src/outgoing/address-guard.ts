import { createAddressRules, isAddress, type AddressRules } from './address-rules.ts'
interface Found {
  readonly address: string
  readonly family: number
}

/** The part of `dns.lookup` that connections use. */
export type LookUp<O extends object> = (
  host: string,
  options: O & { readonly all: true },
  callback: (error: Error | null, addresses: Found[]) => void,
) => void

/** Keeps connections to hosts that a user has chosen out of the network of this process. */
export interface AddressGuard {
  readonly rules: AddressRules
  /** The error for a host that is a closed address. Names are not resolved. */
  readonly refusal: (host: string) => Error | undefined
  /**
   * The name resolution of a connection: fails for a name that leads to a closed address, whatever it resolved
   * to before. All of its addresses must be open, because it is not known which one will be used.
   */
  lookup<O extends { readonly all?: boolean | undefined }>(lookUp: LookUp<O>): Resolve<O>
}

type Resolve<O> = (
  host: string,
  options: O,
  callback: (error: Error | null, found: string | Found[], family?: number) => void,
) => void

/**
 * @param allow private hosts or ranges that may be reached
 * @param blocked the error for a host
 * @throws TypeError that names an invalid entry of `allow`
 */
export function createAddressGuard(
  allow: readonly string[],
  blocked: (host: string) => Error,
): AddressGuard {
  const rules = createAddressRules(allow)
  const refuses = (host: string, address: string): boolean =>
    !rules.allowsHost(host) && !rules.allowsAddress(address)
  return {
    rules,
    refusal: (host) => (isAddress(host) && refuses(host, host) ? blocked(host) : undefined),
    lookup: (lookUp) => (host, options, callback) => {
      lookUp(host, { ...options, all: true }, (failed, found) => {
        const [first] = failed === null ? found : []
        if (first === undefined) callback(failed ?? new Error(`${host} has no address`), '', 0)
        else if (found.some(({ address }) => refuses(host, address))) callback(blocked(host), '', 0)
        else if (options.all === true) callback(null, found)
        else callback(null, first.address, first.family)
      })
    },
  }
}
