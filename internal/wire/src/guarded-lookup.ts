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

/**
 * The name resolution of a connection to a host that a user has chosen, so that no name leads into the network
 * of this process, whatever it resolved to before.
 * @param refusal the error for a name with these addresses, or undefined if all may be connected to: which one
 * will be used is not known
 */
export function guardedLookup<O extends { readonly all?: boolean | undefined }>(
  lookUp: LookUp<O>,
  refusal: (host: string, addresses: readonly string[]) => Error | undefined,
) {
  return (
    host: string,
    options: O,
    callback: (error: Error | null, found: string | Found[], family?: number) => void,
  ): void => {
    lookUp(host, { ...options, all: true }, (failed, found) => {
      const addresses = failed === null ? found : []
      const error =
        failed ??
        refusal(
          host,
          addresses.map(({ address }) => address),
        )
      const [first] = addresses
      if (error !== undefined || first === undefined)
        callback(error ?? new Error(`${host} has no address`), '', 0)
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
