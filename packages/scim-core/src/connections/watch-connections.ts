import type { Runtime } from '@x/wire'
import { SILENCE_SECONDS } from '../reconcile/source-states.ts'
import type { TokenInfo } from '../rules/tokens.ts'
import type { Connection, ConnectionStore } from '../store/connections.ts'
import type { WatchedCredential, WatchedSource } from './alarms.ts'
import type { ClientInfo } from './clients.ts'

interface Watched {
  readonly store: Pick<ConnectionStore, 'page'>
  readonly tokensOf: (tenant: string, id: string) => Promise<readonly TokenInfo[]>
  readonly clientsOf: (id: string) => Promise<readonly ClientInfo[]>
  readonly others: () => Promise<readonly WatchedSource[]>
  readonly check: (source: WatchedSource) => Promise<void>
}

const PAGE = 100

/** Checks all connections again and again until the signal is aborted. */
export async function watchConnections(
  watched: Watched,
  {
    signal,
    everyMs,
    runtime,
    onError,
  }: {
    readonly signal: AbortSignal
    readonly everyMs: number
    readonly runtime: Runtime
    readonly onError: (error: unknown) => void
  },
): Promise<void> {
  while (!signal.aborted) {
    await checkAll(watched, signal).catch(onError)
    await runtime.sleep(everyMs, signal).catch(() => undefined)
  }
}

async function checkAll(watched: Watched, signal: AbortSignal): Promise<void> {
  const { store, others, check } = watched
  for (const source of await others()) await check(source)
  for (let after: string | undefined; !signal.aborted;) {
    const from = after === undefined ? {} : { after }
    const page = (await store.page?.({ ...from, limit: PAGE })) ?? []
    for (const connection of page)
      if (!signal.aborted) await check(await sourceOf(watched, connection))
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

async function sourceOf(
  { tokensOf, clientsOf }: Watched,
  { id, tenant, provider, enabled, lastUsedAt, settings }: Connection,
): Promise<WatchedSource> {
  const tokens = (await tokensOf(tenant, id)).map((token): WatchedCredential => ({
    ...token,
    kind: 'token',
  }))
  const secrets = (await clientsOf(id)).flatMap((client) =>
    client.secrets.map((secret): WatchedCredential => ({ ...secret, kind: 'client-secret' })),
  )
  return {
    id,
    tenant,
    provider,
    lastRequestAt: lastUsedAt,
    silenceAfter: enabled ? (settings.silenceAfter ?? SILENCE_SECONDS) : 0,
    credentials: enabled ? [...tokens, ...secrets] : [],
  }
}
