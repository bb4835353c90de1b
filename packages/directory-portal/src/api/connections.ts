import type { Connection } from '@x/scim-core/connections'
import { invalid, PortalError } from '../http/portal-error.ts'
import { readNumber, readString, readWord } from '../http/read-values.ts'
import { PORTAL_PROVIDERS, PROVIDER_FACTS, type PortalProvider } from '../providers/providers.ts'
import { route, type ApiCall, type ApiRoute, type PortalParts } from './call.ts'
import { connectionOf, connectionView, countDirectory } from './connection-view.ts'
import { deactivateWritten, isActive, writtenUsers } from './written-users.ts'

const DAY_MS = 86_400_000
const DAYS = { from: 1, to: 1_095 }
const DEFAULT_DAYS = 365

export const connectionRoutes: readonly ApiRoute[] = [
  route('GET', '/connections', async ({ parts, caller }) => {
    const counts = await countDirectory(parts, caller.tenant)
    const connections = []
    for (const connection of await parts.connections.list(caller.tenant))
      connections.push(await connectionView(parts, connection, counts))
    return [200, { connections }]
  }),
  route('POST', '/connections', async (call) => {
    const { parts, caller } = call
    const { provider, name, kind, expiresInDays } = await call.body()
    const known = readWord('provider', provider, PORTAL_PROVIDERS)
    if (known === undefined) throw invalid('provider is required.')
    readKind(kind)
    const given = readString('name', name)
    const { connection, token, tokenId } = await parts.connections.create({
      tenant: caller.tenant,
      name: given ?? (await freeName(parts, caller.tenant, known)),
      provider: known,
      expiresAt: expiryOf(parts, expiresInDays) ?? inDays(parts, DEFAULT_DAYS),
    })
    await call.act('connection.created', connection.id)
    return [
      201,
      {
        ...(await viewOf(call, connection)),
        secret: await shown(call, { connection, token, tokenId }),
      },
    ]
  }),
  route('GET', '/connections/{id}', async (call) => [
    200,
    await viewOf(call, await connectionOf(call)),
  ]),
  route('PATCH', '/connections/{id}', async (call) => {
    const { parts, caller } = call
    const { id, settings } = await connectionOf(call)
    const { name, paused } = await call.body()
    const given = readString('name', name)
    if (paused !== undefined && typeof paused !== 'boolean')
      throw invalid('paused must be true or false.')
    const { paused: _before, ...others } = settings
    const changed = await parts.connections.update(caller.tenant, id, {
      ...(given !== undefined && { name: given }),
      ...(paused !== undefined && { settings: paused ? { ...others, paused } : others }),
    })
    if (given !== undefined) await call.act('connection.renamed', id)
    if (paused !== undefined)
      await call.act(paused ? 'connection.paused' : 'connection.resumed', id)
    return [200, await viewOf(call, changed)]
  }),
  route('GET', '/connections/{id}/consequences', async (call) => {
    const { parts, caller } = call
    const { id } = await connectionOf(call)
    await parts.log.flush()
    let [active, inactive] = [0, 0]
    for await (const user of writtenUsers(parts, caller.tenant, id)) {
      if (isActive(user)) active += 1
      else inactive += 1
    }
    const { groups } = await countDirectory(parts, caller.tenant)
    const secrets = (await liveTokens(call, id)).length
    const rules = (await parts.roles?.read(caller.tenant))?.rules.length ?? 0
    const domains = (await parts.domains?.list(caller.tenant))?.length ?? 0
    return [200, { users: { active, inactive }, groups, secrets, rules, domains }]
  }),
  route('DELETE', '/connections/{id}', async (call) => {
    const { parts, caller } = call
    const { id, name } = await connectionOf(call)
    const { confirm, users } = await call.body()
    const choice = readWord('users', users, ['keep', 'deactivate'])
    if (choice === undefined) throw invalid('users must be keep or deactivate.')
    if (confirm !== name)
      throw new PortalError(409, 'confirm', 'confirm must be the name of the connection.')
    await parts.log.flush()
    await parts.connections.remove(caller.tenant, id)
    const deactivated = choice === 'keep' ? 0 : await deactivateWritten(parts, caller.tenant, id)
    await parts.store.log.forget(caller.tenant, id)
    await call.act(choice === 'keep' ? 'connection.removed' : 'connection.removed.users', id)
    return [200, { deactivated }]
  }),
  route('POST', '/connections/{id}/secrets', async (call) => {
    const { parts, caller } = call
    const connection = await connectionOf(call)
    const { kind, expiresInDays, label } = await call.body()
    readKind(kind)
    const given = readString('label', label)
    const expiresAt = expiryOf(parts, expiresInDays) ?? inDays(parts, DEFAULT_DAYS)
    await assertRoom(call, connection.id)
    const { id, token } = await parts.connections.issueToken(caller.tenant, connection.id, {
      expiresAt,
      ...(given !== undefined && { label: given }),
    })
    await call.act('secret.created', id)
    return [201, { secret: await shown(call, { connection, token, tokenId: id }) }]
  }),
  route('POST', '/connections/{id}/secrets/{secretId}/rotate', async (call) => {
    const { parts, caller, params } = call
    const connection = await connectionOf(call)
    const { overlapHours, expiresInDays } = await call.body()
    const hours = readNumber('overlapHours', overlapHours, { from: 0, to: 168 }) ?? 24
    const expiresAt = expiryOf(parts, expiresInDays)
    await assertRoom(call, connection.id)
    const old = params['secretId'] ?? ''
    const { id, token } = await parts.connections.rotateToken(caller.tenant, connection.id, old, {
      overlapSeconds: hours * 3_600,
      ...(expiresAt !== undefined && { expiresAt }),
    })
    await call.act('secret.rotated', old)
    return [201, { secret: await shown(call, { connection, token, tokenId: id }) }]
  }),
  route('DELETE', '/connections/{id}/secrets/{secretId}', async (call) => {
    const { parts, caller, params } = call
    const { id } = await connectionOf(call)
    const secretId = params['secretId'] ?? ''
    await parts.connections.revokeToken(caller.tenant, id, secretId)
    await call.act('secret.revoked', secretId)
    return [204, null]
  }),
]

async function viewOf({ parts, caller }: ApiCall, connection: Connection) {
  const counts = await countDirectory(parts, caller.tenant)
  return { connection: await connectionView(parts, connection, counts) }
}

/** The one answer with a secret. */
async function shown(
  { parts, caller }: ApiCall,
  {
    connection,
    token,
    tokenId,
  }: { readonly connection: Connection; readonly token: string; readonly tokenId: string },
): Promise<object> {
  const tokens = await parts.connections.listTokens(caller.tenant, connection.id)
  const expiresAt = tokens.find(({ id }) => id === tokenId)?.expiresAt ?? null
  return {
    id: tokenId,
    kind: 'token',
    address: parts.baseUrl,
    token,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}

/** @throws PortalError invalid */
function readKind(kind: unknown): void {
  if (readWord('kind', kind, ['token', 'client']) === 'client')
    throw invalid('kind client is not offered here.')
}

const inDays = ({ runtime }: PortalParts, days: number): Date =>
  new Date(runtime.now().getTime() + days * DAY_MS)

function expiryOf(parts: PortalParts, value: unknown): Date | undefined {
  const days = readNumber('expiresInDays', value, DAYS)
  return days === undefined ? undefined : inDays(parts, days)
}

async function liveTokens({ parts, caller }: ApiCall, id: string) {
  const now = parts.runtime.now()
  const tokens = await parts.connections.listTokens(caller.tenant, id)
  return tokens.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
  )
}

const MAX_SECRETS = 5

async function assertRoom(call: ApiCall, id: string): Promise<void> {
  if ((await liveTokens(call, id)).length < MAX_SECRETS) return
  throw new PortalError(409, 'conflict', `A connection may have ${MAX_SECRETS} live secrets.`)
}

/** The provider's name, then that with 2, 3 and so on. */
async function freeName(
  { connections }: PortalParts,
  tenant: string,
  provider: PortalProvider,
): Promise<string> {
  const taken = new Set((await connections.list(tenant)).map(({ name }) => name))
  const { name } = PROVIDER_FACTS[provider]
  if (!taken.has(name)) return name
  let number = 2
  while (taken.has(`${name} ${number}`)) number += 1
  return `${name} ${number}`
}
