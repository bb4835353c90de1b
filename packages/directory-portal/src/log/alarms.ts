import type { TokenInfo } from '@x/scim-core'
import type { LogEntry } from './log-entry.ts'

/** What is wrong with a connection now. */
export interface Alarm {
  readonly name: 'secret_expires' | 'secret_expired' | 'failing' | 'wrong_secret'
  /** RFC 3339. */
  readonly since: string
  /** null while it lasts. */
  readonly until: string | null
  readonly values: Readonly<Record<string, string | number>>
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SOON_DAYS = 7
const LEAST_REQUESTS = 20
const FAILING_PART = 0.1
const WRONG_SECRETS = 5

/** The alarms that the secrets and the last 100 requests of a connection give; entries newest first. */
export function alarmsOf({
  tokens,
  entries,
  now,
}: {
  readonly tokens: readonly TokenInfo[]
  readonly entries: readonly LogEntry[]
  readonly now: Date
}): readonly Alarm[] {
  return [
    ...secretAlarms(tokens, now),
    ...failing(entries.filter((entry) => isSince(entry, now, DAY))),
    ...wrongSecret(entries.filter((entry) => isSince(entry, now, HOUR))),
  ]
}

const isSince = ({ at }: LogEntry, now: Date, ms: number): boolean =>
  new Date(at).getTime() > now.getTime() - ms

/** When the last of the secrets ends; null if one never does, or there is none. */
export function lastEnd(tokens: readonly TokenInfo[]): number | null {
  let last: number | null = null
  for (const { revokedAt, expiresAt } of tokens) {
    if (revokedAt !== null) continue
    if (expiresAt === null) return null
    last = Math.max(last ?? 0, expiresAt.getTime())
  }
  return last
}

/** While another secret works for longer, nobody needs to hear of one that ends. */
function secretAlarms(tokens: readonly TokenInfo[], now: Date): Alarm[] {
  const last = lastEnd(tokens)
  if (last === null) return []
  const days = Math.ceil((last - now.getTime()) / DAY)
  if (days > SOON_DAYS) return []
  const isOver = last <= now.getTime()
  const since = new Date(isOver ? last : last - SOON_DAYS * DAY).toISOString()
  return [
    { name: isOver ? 'secret_expired' : 'secret_expires', since, until: null, values: { days } },
  ]
}

function failing(entries: readonly LogEntry[]): Alarm[] {
  const failed = entries.filter(
    ({ status, op }) => status >= 400 && !(status === 404 && (op === 'read' || op === 'list')),
  )
  const isFailing =
    entries.length >= LEAST_REQUESTS && failed.length >= entries.length * FAILING_PART
  if (!isFailing) return []
  const values = { failed: failed.length, requests: entries.length }
  return [{ name: 'failing', since: failed.at(-1)?.at ?? '', until: null, values }]
}

function wrongSecret(entries: readonly LogEntry[]): Alarm[] {
  const wrong = entries.filter(({ outcome }) => outcome === 'wrong_secret')
  const count = wrong.reduce((sum, entry) => sum + entry.count, 0)
  if (count < WRONG_SECRETS) return []
  return [{ name: 'wrong_secret', since: wrong.at(-1)?.at ?? '', until: null, values: { count } }]
}
