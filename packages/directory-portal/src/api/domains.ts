import { missingPage } from '../http/portal-error.ts'
import type { Domains } from '../domains/domains.ts'
import { route, type ApiCall, type ApiRoute } from './call.ts'

export const domainRoutes: readonly ApiRoute[] = [
  route('GET', '/domains', async (call) => [
    200,
    { domains: await domainsOf(call).list(call.caller.tenant) },
  ]),
  route('POST', '/domains', async (call) => {
    const added = await domainsOf(call).add(call.caller.tenant, (await call.body())['domain'])
    await call.act('domain.added', added.domain)
    return [201, added]
  }),
  route('POST', '/domains/{domain}/verify', async (call) => {
    const verified = await domainsOf(call).verify(call.caller.tenant, call.params['domain'] ?? '')
    await call.act('domain.verified', verified.domain)
    return [200, verified]
  }),
  route('DELETE', '/domains/{domain}', async (call) => {
    const domain = call.params['domain'] ?? ''
    await domainsOf(call).remove(call.caller.tenant, domain)
    await call.act('domain.removed', domain)
    return [204, null]
  }),
]

function domainsOf({ parts }: ApiCall): Domains {
  if (parts.domains !== undefined) return parts.domains
  throw missingPage()
}
