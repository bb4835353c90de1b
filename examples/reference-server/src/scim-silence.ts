import type { ScimAuditEntry } from '@x/scim-core'
import type { ScimConnections, WatchedSource } from '@x/scim-core/connections'
import type { NamedCredential } from '@x/scim-core/reconcile'
import type { SqlScimStore } from '@x/store-kysely/scim'
import type { Log } from './operate/log.ts'

const MINUTE_MS = 60_000

export interface ScimSilenceOptions {
  readonly connections: Pick<ScimConnections, 'events' | 'watch'>
  readonly store: Pick<SqlScimStore, 'kept'>
  /** The credentials of the settings; null if an issuer makes others. */
  readonly credentials: readonly (NamedCredential & { readonly tenant: string })[] | null
  /** `SCIM_SILENCE_SECONDS`; 0: never. */
  readonly silenceSeconds: number
  readonly log: Log
  readonly onError: (error: unknown) => void
}

/** Tells in the log when directories fall silent and credentials end. */
export interface ScimSilence {
  /** Remembers when the credentials of the settings were used. */
  heard(entry: ScimAuditEntry): void
  stop(): Promise<void>
}

export function watchSilence({
  connections,
  store: { kept },
  credentials,
  silenceSeconds,
  log,
  onError,
}: ScimSilenceOptions): ScimSilence {
  const own = new Set(credentials?.map(({ id }) => id))
  /** Times in milliseconds of the last requests of this process, as they were kept. */
  const heard = new Map<string, number>()
  const pause = silenceSeconds === 0 ? MINUTE_MS : Math.min(MINUTE_MS, silenceSeconds * 500)
  const keep = async (id: string, time: number): Promise<void> => {
    const name = `heard ${id}`
    for (;;) {
      const before = await kept.get(name)
      if (before !== null && Number(before) >= time) return
      if (await kept.exchange(name, before, String(time))) return
    }
  }
  const others = async (): Promise<WatchedSource[]> => {
    const sources: WatchedSource[] = []
    for (const id of own) {
      const ofId = (credentials ?? []).filter((one) => one.id === id)
      const last = await kept.get(`heard ${id}`)
      sources.push({
        id,
        tenant: ofId[0]?.tenant ?? 'default',
        provider: 'other',
        lastRequestAt: last === null ? null : new Date(Number(last)),
        silenceAfter: silenceSeconds,
        credentials: ofId.map(({ expiresAt }, index) => ({
          id: ofId.length === 1 ? id : `${id} ${index + 1}`,
          kind: 'token',
          expiresAt,
          revokedAt: null,
        })),
      })
    }
    return sources
  }
  connections.events.on('*', ({ type, ...facts }) =>
    log('warning', 'scim.alarm', { log: 'scim.alarm', alarm: type, ...facts }),
  )
  const stopping = new AbortController()
  const everyMs = silenceSeconds === 0 ? MINUTE_MS : Math.min(MINUTE_MS, silenceSeconds * 1_000)
  const ended = connections.watch({ signal: stopping.signal, everyMs, others }).catch(onError)
  return {
    heard({ actor, connectionId, status }) {
      if (actor === null || connectionId !== undefined || status === 401 || !own.has(actor)) return
      const now = Date.now()
      if (now - (heard.get(actor) ?? 0) < pause) return
      heard.set(actor, now)
      keep(actor, now).catch(onError)
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
