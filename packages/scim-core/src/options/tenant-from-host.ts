import type { ScimOptions } from './options.ts'

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/**
 * A `resolveTenant` for tenants by subdomain: the single label before `domain`, in lower case. Any other
 * host is answered with 404. The host is that of the request's URL; behind a proxy the mount takes it from
 * the forwarded headers if its `trustProxy` says so.
 * @param options `reserved`: labels that are no tenants, such as `www`
 * @throws TypeError if `domain` is not a host name
 */
export function tenantFromHost(
  domain: string,
  { reserved = [] }: { readonly reserved?: readonly string[] } = {},
): (request: Request) => string | null {
  const base = plainHost(domain)
  if (!base.split('.').every((label) => LABEL.test(label))) {
    throw new TypeError(`tenantFromHost: domain must be a host name, got '${domain.slice(0, 60)}'`)
  }
  const refused = new Set(reserved.map((label) => label.toLowerCase()))
  const suffix = `.${base}`
  const resolve = ({ url }: Request): string | null => {
    const host = plainHost(hostOf(url))
    if (!host.endsWith(suffix)) return null
    const label = host.slice(0, -suffix.length)
    return LABEL.test(label) && !refused.has(label) ? label : null
  }
  return resolve satisfies ScimOptions['resolveTenant']
}

/** Without port and trailing dot, in lower case. */
function plainHost(text: string): string {
  return text.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/** Host and port of an absolute URL. */
function hostOf(url: string): string {
  const rest = url.slice(url.indexOf('://') + 3)
  const end = rest.search(/[/?#]/)
  return end === -1 ? rest : rest.slice(0, end)
}
