import { redeemLink } from '../access/links.ts'
import { PortalError } from '../http/portal-error.ts'
import { nextOf, readPage } from '../http/read-values.ts'
import { providerList } from '../providers/provider-list.ts'
import { languageOf } from '../words/words.ts'
import { route, type ApiAnswer, type ApiRoute, type PortalParts } from './call.ts'

/** Redeems a link: the one route without a session. */
export async function openSession(
  parts: PortalParts,
  body: Readonly<Record<string, unknown>>,
  clientAddress: string,
): Promise<ApiAnswer> {
  const { link } = body
  parts.attempts.admit(clientAddress)
  try {
    const found = await redeemLink(parts, typeof link === 'string' ? link : '')
    const { expiresAt, cookie } = await parts.sessions.open(found)
    return [201, { expiresAt: expiresAt.toISOString() }, { 'set-cookie': cookie }]
  } catch (error) {
    if (error instanceof PortalError) parts.attempts.refused(clientAddress)
    throw error
  }
}

export const sessionRoutes: readonly ApiRoute[] = [
  route('GET', '/session', async ({ parts, caller }) => [
    200,
    {
      tenant: caller.tenant,
      tenantName: caller.tenantName,
      actor: caller.actor,
      permission: caller.permission,
      expiresAt: caller.expiresAt?.toISOString() ?? null,
      returnUrl: caller.returnUrl,
      app: { name: parts.appName },
      address: parts.baseUrl,
      language: caller.language,
      languages: parts.languages,
      features: {
        roles: parts.roles !== undefined,
        clients: false,
        domains: parts.domains !== undefined,
        signIn: false,
        agents: false,
      },
    },
  ]),
  route(
    'DELETE',
    '/session',
    async ({ parts, caller }) => [204, null, { 'set-cookie': await parts.sessions.end(caller) }],
    { needsManage: false },
  ),
  route('GET', '/providers', async ({ parts, query, caller }) => [
    200,
    {
      providers: providerList(languageOf(query.get('language') ?? caller.language), parts.appName),
    },
  ]),
  route('GET', '/activity', async ({ parts, caller, query }) => {
    const { limit, after } = readPage(query)
    const found = await parts.store.activity.list(caller.tenant, { before: after, limit })
    const activity = found.map(({ at, actor, action, target }) => ({
      at: at.toISOString(),
      actor,
      action,
      target,
    }))
    return [200, { activity, next: nextOf(found.length < limit ? undefined : found.at(-1)?.seq) }]
  }),
]
