import { fold } from '@x/scim-core'
import { missing, PortalError } from '../http/portal-error.ts'
import { nextOf, readPage, readQueryNumber, readString, readWord } from '../http/read-values.ts'
import { findingsOf } from '../log/findings.ts'
import { LOG_OUTCOMES, type LogEntry } from '../log/log-entry.ts'
import { portalProvider } from '../providers/providers.ts'
import { languageOf } from '../words/words.ts'
import { route, type ApiAnswer, type ApiCall, type ApiRoute } from './call.ts'
import { connectionOf, stateOf } from './connection-view.ts'

const MAX_WAITING = 4
const LOOK_MS = 1_000
const RECENT = 200

export const logRoutes: readonly ApiRoute[] = [
  route('GET', '/connections/{id}/log', async (call) => {
    const { parts, caller, query } = call
    const { id } = await connectionOf(call)
    const { limit, after } = readPage(query)
    const search = readString('search', query.get('search') ?? undefined)
    await parts.log.flush()
    const found = await parts.store.log.list(caller.tenant, id, {
      search: search && fold(search),
      outcome: readWord('outcome', query.get('outcome'), LOG_OUTCOMES),
      op: readString('op', query.get('op') ?? undefined),
      before: after,
      limit,
    })
    const next = nextOf(found.length < limit ? undefined : found.at(-1)?.seq)
    return [200, { entries: found.map(({ entry }) => shownTo(call, entry)), next }]
  }),
  route(
    'GET',
    '/connections/{id}/received',
    async (call) => {
      const { parts, caller } = call
      const { id } = await connectionOf(call)
      await parts.log.flush()
      const found = await parts.store.log.received(caller.tenant, id)
      const received = found.map(({ requestId, at, userId, userName, op }) => ({
        requestId,
        at: at.toISOString(),
        userId,
        userName,
        op,
      }))
      return [200, { received }]
    },
    { needsManage: true },
  ),
  route('GET', '/connections/{id}/received/{requestId}', preview, { needsManage: true }),
  route('GET', '/connections/{id}/status', status),
  route('POST', '/connections/{id}/test', async (call) => {
    await connectionOf(call)
    await call.parts.log.flush()
    return [200, { findings: await findings(call) }]
  }),
]

/** What was sent, what is stored now, and what the host sees. */
async function preview(call: ApiCall): Promise<ApiAnswer> {
  const { parts, caller, params } = call
  const { id } = await connectionOf(call)
  await parts.log.flush()
  const received = await parts.store.log.received(caller.tenant, id)
  const found = received.find(({ requestId }) => requestId === params['requestId'])
  if (found === undefined) throw missing('The request')
  const { body, ignored, userId } = found
  const stored = userId === null ? null : await parts.service.users.get(caller.tenant, userId)
  return [
    200,
    {
      raw: body,
      stored,
      host: stored === null ? [] : parts.present(stored),
      ignored: ignored.map(({ path, reason }) => ({ path, reason, value: valueAt(body, path) })),
    },
  ]
}

/** The value of a body at a path as it was sent; null if a PATCH or a list hides it. */
function valueAt(body: unknown, path: string): unknown {
  const key = (from: unknown, name: string): unknown =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, name)
      ? Reflect.get(from, name)
      : undefined
  const direct = key(body, path)
  if (direct !== undefined) return direct
  const cut = path.lastIndexOf(path.startsWith('urn:') ? ':' : '.')
  return cut === -1 ? null : (key(key(body, path.slice(0, cut)), path.slice(cut + 1)) ?? null)
}

async function findings(call: ApiCall) {
  const { parts, caller, query } = call
  const connection = await connectionOf(call)
  const { alarms, facts, tokens } = await stateOf(parts, connection)
  const recent = await parts.store.log.list(caller.tenant, connection.id, { limit: RECENT })
  return findingsOf({
    connection,
    provider: portalProvider(connection.provider),
    tokens,
    alarms,
    facts,
    entries: recent.map(({ entry }) => entry),
    now: parts.runtime.now(),
    language: languageOf(query.get('language') ?? caller.language),
  })
}

/** The state now, or after the first change since `since`. */
async function status(call: ApiCall): Promise<ApiAnswer> {
  const { parts, caller, query } = call
  const { id } = await connectionOf(call)
  const wait = readQueryNumber(query, 'wait', { from: 0, to: 25 }) ?? 0
  const since = readQueryNumber(query, 'since', { from: 0, to: 999_999_999 })
  await parts.log.flush()
  if (wait > 0 && since !== undefined) await news(call, { id, since, wait })
  const connection = await connectionOf(call)
  const { state, facts, alarms } = await stateOf(parts, connection)
  const [last] = await parts.store.log.list(caller.tenant, id, { limit: 1 })
  const { firstUser, cursor, requests } = facts
  return [
    200,
    {
      state,
      cursor,
      requests,
      lastRequest: last === undefined ? null : shownTo(call, last.entry),
      firstUser: firstUser && { ...firstUser, at: firstUser.at.toISOString() },
      findings: await findings(call),
      alarms,
    },
  ]
}

/** Waits for a change: of this process at once, of another one by looking each second. */
async function news(
  { parts, caller, signal }: ApiCall,
  { id, since, wait }: { readonly id: string; readonly since: number; readonly wait: number },
): Promise<void> {
  const { waiting, runtime, store, log } = parts
  const count = (waiting.get(caller.id) ?? 0) + 1
  if (count > MAX_WAITING)
    throw new PortalError(429, 'too_many_requests', 'Too many requests wait for news.', {
      'retry-after': '5',
    })
  waiting.set(caller.id, count)
  const end = runtime.now().getTime() + wait * 1_000
  try {
    while (runtime.now().getTime() < end && !signal.aborted) {
      const { cursor } = await store.log.facts(caller.tenant, id)
      if (cursor !== since) return
      const stop = new AbortController()
      const either = AbortSignal.any([signal, stop.signal])
      await Promise.race([
        runtime.sleep(Math.min(LOOK_MS, end - runtime.now().getTime()), either),
        log.changed(id, either),
      ]).catch(() => undefined)
      stop.abort()
    }
  } finally {
    const left = (waiting.get(caller.id) ?? 1) - 1
    if (left === 0) waiting.delete(caller.id)
    else waiting.set(caller.id, left)
  }
}

/** Those who may only look do not see where requests come from. */
const shownTo = ({ caller }: ApiCall, entry: LogEntry): LogEntry =>
  caller.permission === 'view' ? { ...entry, clientAddress: null } : entry
