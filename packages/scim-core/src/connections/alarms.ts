import type { Metrics, Runtime } from '@x/wire'
import type { AlarmMemory } from './alarm-memory.ts'
import type { Alarm, Announce } from './announce.ts'

/** A token, or a secret of a client. */
export interface WatchedCredential {
  readonly id: string
  readonly kind: 'token' | 'client-secret'
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/** A connection, or a credential of the host's own settings. */
export interface WatchedSource {
  readonly id: string
  readonly tenant: string
  readonly provider: string
  /** null: it has never asked. */
  readonly lastRequestAt: Date | null
  /** Seconds; 0: silence is no alarm. */
  readonly silenceAfter: number
  readonly credentials: readonly WatchedCredential[]
}

/** Alarms that have been told about a source. */
interface Told {
  /** The last request before the silence. */
  readonly silent: string | null
  /** The smallest number of days that was told of each credential; 0: its end. */
  readonly days: Readonly<Record<string, number>>
}

const DAY_MS = 86_400_000
/** Days before the end of a credential at which it is told. */
const DAYS = [1, 7, 30] as const
const MAX_LABELS = 1_000
const NOTHING: Told = { silent: null, days: {} }

/** Tells of silent sources and of credentials that end, once for all processes. */
export function createAlarms({
  memory,
  announce,
  runtime,
  metrics,
}: {
  readonly memory: Pick<AlarmMemory, 'get'>
  readonly announce: Announce
  readonly runtime: Runtime
  readonly metrics?: Metrics | undefined
}): { check(source: WatchedSource): Promise<void> } {
  const measure = metrics && measuresOf(metrics)
  return {
    async check(source) {
      const now = runtime.now()
      const name = `alarms ${source.id}`
      const before = await memory.get(name)
      const told = before === null ? NOTHING : (JSON.parse(before) as Told)
      const alarms: Alarm[] = []
      const silent = silenceOf(source, { told, now, alarms })
      const days = endsOf(source, { told, now, alarms })
      measure?.(source, silent !== null)
      const after = JSON.stringify({ silent, days })
      if (after === (before ?? JSON.stringify(NOTHING))) return
      await announce(name, { before, after }, alarms)
    },
  }
}

interface Round {
  readonly told: Told
  readonly now: Date
  readonly alarms: Alarm[]
}

/** The last request before a silence; null while the source is heard. */
function silenceOf(source: WatchedSource, { told, now, alarms }: Round): string | null {
  const { id: connectionId, tenant, provider, lastRequestAt, silenceAfter } = source
  const at = now.toISOString()
  const base = { at, tenant, connectionId, provider }
  const last = lastRequestAt?.toISOString() ?? null
  if (last === null || lastRequestAt === null || silenceAfter === 0) return null
  const silentMs = now.getTime() - lastRequestAt.getTime()
  if (silentMs >= silenceAfter * 1_000) {
    const silentSeconds = Math.floor(silentMs / 1_000)
    if (told.silent !== last) {
      const facts = { ...base, lastRequestAt: last, silentSeconds }
      alarms.push({ type: 'connection.silent', facts })
    }
    return last
  }
  if (told.silent !== null) {
    alarms.push({ type: 'connection.heard', facts: { ...base, lastRequestAt: last } })
  }
  return null
}

/** What has been told of the ends of its credentials, those that are gone left out. */
function endsOf(source: WatchedSource, { told, now, alarms }: Round): Told['days'] {
  const days: Record<string, number> = {}
  for (const { id, kind, expiresAt, revokedAt } of source.credentials) {
    if (expiresAt === null || revokedAt !== null) continue
    const left = (expiresAt.getTime() - now.getTime()) / DAY_MS
    const mark = left <= 0 ? 0 : DAYS.find((one) => left <= one)
    const known = told.days[id]
    if (mark === undefined) continue
    days[id] = Math.min(mark, known ?? mark)
    if (known !== undefined && known <= mark) continue
    const { id: connectionId, tenant, provider } = source
    const at = now.toISOString()
    const fact = { at, tenant, connectionId, provider, credentialId: id, kind }
    const end = { ...fact, expiresAt: expiresAt.toISOString() }
    if (mark > 0) alarms.push({ type: 'credential.expiring', facts: { ...end, days: mark } })
    else alarms.push({ type: 'credential.expired', facts: end })
  }
  return days
}

function measuresOf(metrics: Metrics): (source: WatchedSource, isSilent: boolean) => void {
  const gauge = (name: string, help: string) =>
    metrics.gauge({
      name,
      help,
      labels: ['connection'],
      maxValues: MAX_LABELS,
      maxSeries: MAX_LABELS,
    })
  const lastRequest = gauge(
    'scim_connection_last_request_timestamp_seconds',
    'Time of the last request of a connection',
  )
  const silent = gauge('scim_connection_silent', '1 while a connection is silent')
  const expiry = gauge(
    'scim_credential_expiry_timestamp_seconds',
    'Time at which the last credential of a connection ends',
  )
  return ({ id: connection, lastRequestAt, credentials }, isSilent) => {
    if (lastRequestAt !== null) lastRequest.set({ connection }, lastRequestAt.getTime() / 1_000)
    silent.set({ connection }, isSilent ? 1 : 0)
    const ends = credentials.filter(({ revokedAt }) => revokedAt === null)
    const times = ends.map(({ expiresAt }) => expiresAt?.getTime() ?? null)
    if (times.length === 0 || times.includes(null)) return
    const latest = times.reduce<number>((most, time) => Math.max(most, time ?? 0), 0)
    expiry.set({ connection }, latest / 1_000)
  }
}
