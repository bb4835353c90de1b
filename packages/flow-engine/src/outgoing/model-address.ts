import { environmentAddress, vendors } from './vendors.ts'

/** The address of a model's requests, and who set it. */
export interface ModelAddress {
  /** Undefined: the client's own default. */
  readonly url: string | undefined
  /** The operator named it in the environment, so it may be private (AB-40). */
  readonly trusted: boolean
}

/**
 * The address of a provider: what the flow gives, else what the environment names, else the
 * vendor's own. The vendor's own address in a flow counts as none given: components have it as
 * their default.
 */
export function modelAddress(
  provider: string,
  given: string | undefined,
  environment: Readonly<Record<string, string>> | undefined,
): ModelAddress {
  const vendor = vendors.find(({ providers }) => providers.includes(provider))
  const own = vendor?.home
  const named = vendor === undefined ? undefined : environmentAddress(vendor, environment)
  const isOpen = given === undefined || given === '' || isSame(given, own)
  if (named !== undefined && (isOpen || isSame(given, named))) return { url: named, trusted: true }
  return { url: isOpen ? own : given, trusted: false }
}

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && plain(one) === plain(other)
}

/** Without slashes and a version at the end. */
function plain(url: string): string {
  const { href } = URL.canParse(url) ? new URL(url) : { href: url }
  return href.replace(/\/+$/, '').replace(/\/v1$/, '')
}
