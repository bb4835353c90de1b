import { trimSlashes } from '@x/wire'
import { environmentAddress, vendors } from './vendors.ts'

/** The address of a model API, and who configured it. */
export interface ModelAddress {
  /** Undefined to use the client's default. */
  readonly url: string | undefined
  /** Set by the operator in the environment, so the address may be private. */
  readonly trusted: boolean
  /** True if neither the flow nor the environment names another address than the vendor's. */
  readonly isDefault: boolean
}

/**
 * Returns the address of a provider: from the flow, else from the environment, else the vendor's own. The
 * vendor's own address in a flow counts as unset, because it is the default value of component fields.
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
  if (named !== undefined && (isOpen || isSame(given, named))) {
    return { url: named, trusted: true, isDefault: false }
  }
  return { url: isOpen ? own : given, trusted: false, isDefault: isOpen }
}

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && plain(one) === plain(other)
}

/** Strips trailing slashes and a trailing version. */
function plain(url: string): string {
  const { href } = URL.canParse(url) ? new URL(url) : { href: url }
  return trimSlashes(href).replace(/\/v1$/, '')
}
