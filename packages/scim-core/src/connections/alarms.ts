import type { Events, Metrics, Runtime } from '@x/wire'
import type { ConnectionEvents } from './connection-events.ts'

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

/** Values that all processes share; each alarm is told by the one whose exchange succeeds. */
export interface AlarmMemory {
  /** null if there is none. */
  get(name: string): Promise<string | null>
  /** Returns whether this call replaced the value. `before` null: there is none. */
  exchange(name: string, before: string | null, after: string): Promise<boolean>
}

/** Alarms that have been told about a source. */
interface Told {
  /** The last request before the silence. */
  readonly silent: string | null
  /** The smallest number of days that was told of each credential; 0: its end. */
  readonly days: Readonly<Record<string, number>>
}

type Emit = Events<ConnectionEvents>['emit']

const DAY_MS = 86_400_000
/** Days before the end of a credential at which it is told. */
const DAYS = [1, 7, 30] as const
const MAX_LABELS = 1_000
const NOTHING: Told = { silent: null, days: {} }

/** Tells of silent sources and of credentials that end, once for all processes. */
export function createAlarms({
  memory,
  emit,
  runtime,
  metrics,
}: {
  readonly memory: AlarmMemory
  readonly emit: Emit
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
      const tell: (() => void)[] = []
      const silent = silenceOf(source, { told, now, tell, emit })
      const days = endsOf(source, { told, now, tell, emit })
      measure?.(source, silent !== null)
      const after = JSON.stringify({ silent, days })
      if (after === (before ?? JSON.stringify(NOTHING))) return
      if (await memory.exchange(name, before, after)) for (const each of tell) each()
    },
  }
}

interface Round {
  readonly told: Told
  readonly now: Date
  readonly tell: (() => void)[]
  readonly emit: Emit
}

/** The last request before a silence; null while the source is heard. */
function silenceOf(source: WatchedSource, { told, now, tell, emit }: Round): string | null {
  const { id: connectionId, tenant, provider, lastRequestAt, silenceAfter } = source
  const at = now.toISOString()
  const base = { at, tenant, connectionId, provider }
  const last = lastRequestAt?.toISOString() ?? null
  if (last === null || lastRequestAt === null || silenceAfter === 0) return null
  const silentMs = now.getTime() - lastRequestAt.getTime()
  if (silentMs >= silenceAfter * 1_000) {
    const silentSeconds = Math.floor(silentMs / 1_000)
    if (told.silent !== last) {
      tell.push(() => emit('connection.silent', { ...base, lastRequestAt: last, silentSeconds }))
    }
    return last
  }
  if (told.silent !== null) {
    tell.push(() => emit('connection.heard', { ...base, lastRequestAt: last }))
  }
  return null
}

/** What has been told of the ends of its credentials, those that are gone left out. */
function endsOf(source: WatchedSource, { told, now, tell, emit }: Round): Told['days'] {
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
    if (mark > 0) tell.push(() => emit('credential.expiring', { ...end, days: mark }))
    else tell.push(() => emit('credential.expired', end))
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

/** For a single process. */
export function createAlarmMemory(): AlarmMemory {
  const values = new Map<string, string>()
  return {
    get: async (name) => values.get(name) ?? null,
    async exchange(name, before, after) {
      if ((values.get(name) ?? null) !== before) return false
      values.set(name, after)
      return true
    },
  }
}
