import type { TokenInfo } from '@x/scim-core'
import type { Connection } from '@x/scim-core/connections'
import { PROVIDER_FACTS, type PortalProvider } from '../providers/providers.ts'
import type { ConnectionMetadata } from '../store/portal-store.ts'
import { fillIn, wordsOf, type FindingName } from '../words/words.ts'
import { lastEnd, type Alarm } from './alarms.ts'
import type { LogEntry } from './log-entry.ts'

/** What the log of a connection tells, and what to do about it. */
export interface Finding {
  readonly name: FindingName
  readonly level: 'ok' | 'info' | 'warning' | 'error'
  readonly at: string | null
  readonly count: number
  readonly values: Readonly<Record<string, string | number>>
  readonly message: string
  readonly fix: string
}

export interface FindingsInput {
  readonly connection: Connection
  readonly provider: PortalProvider
  readonly tokens: readonly TokenInfo[]
  readonly alarms: readonly Alarm[]
  readonly facts: ConnectionMetadata
  /** Newest first. */
  readonly entries: readonly LogEntry[]
  readonly now: Date
  readonly language: string
}

type Draft = Pick<Finding, 'name' | 'level'> & Partial<Pick<Finding, 'at' | 'count' | 'values'>>

const DAY = 86_400_000
const SOON_DAYS = 30
const MAX_PATHS = 10

/** The findings of a connection, the worst first. */
export function findingsOf(input: FindingsInput): readonly Finding[] {
  const { findings } = wordsOf(input.language)
  const drafts = [...stateDrafts(input), ...secretDrafts(input), ...requestDrafts(input)]
  const ranks = ['error', 'warning', 'info', 'ok']
  return drafts
    .toSorted((a, b) => ranks.indexOf(a.level) - ranks.indexOf(b.level))
    .map(({ name, level, at = null, count = 1, values = {} }) => {
      const { message, fix } = findings[name]
      return {
        name,
        level,
        at,
        count,
        values,
        message: fillIn(message, { ...values, count }),
        fix: fillIn(fix, { ...values, count }),
      }
    })
}

function* stateDrafts({ connection, facts, alarms, provider, entries, now }: FindingsInput) {
  if (connection.settings.paused === true) yield draft('paused', 'warning')
  const failing = alarms.find(({ name }) => name === 'failing')
  if (failing !== undefined)
    yield { ...draft('failing', 'error'), at: failing.since, values: failing.values }
  const { firstUser, requests } = facts
  if (firstUser === null) {
    yield requests === 0 ? draft('no_request', 'info') : draft('only_tests', 'info')
    return
  }
  const values = { name: firstUser.userName ?? firstUser.id }
  yield { ...draft('first_user', 'ok'), at: firstUser.at.toISOString(), values }
  const isOld = now.getTime() - firstUser.at.getTime() >= DAY
  const hasGroup = entries.some(({ resourceType }) => resourceType === 'Group')
  if (isOld && !hasGroup && PROVIDER_FACTS[provider].sendsGroups) yield draft('no_groups', 'info')
}

function* secretDrafts({ tokens, entries, now }: FindingsInput) {
  for (const name of ['wrong_secret', 'expired_secret', 'revoked_secret'] as const) {
    const found = recent(entries, now).filter(({ outcome }) => outcome === name)
    const count = found.reduce((sum, entry) => sum + entry.count, 0)
    // A request that was let in since shows that the secret is right now.
    const newest = entries.find(({ outcome }) => !outcome.endsWith('_secret'))
    const isOver = newest !== undefined && newest.at > (found[0]?.at ?? '')
    if (count > 0)
      yield { ...draft(name, isOver ? 'info' : 'error'), at: found[0]?.at ?? null, count }
  }
  const last = lastEnd(tokens)
  const days = last === null ? 0 : Math.ceil((last - now.getTime()) / DAY)
  if (days > 0 && days <= SOON_DAYS)
    yield { ...draft('secret_expires', 'warning'), values: { days } }
}

function* requestDrafts({ entries, now }: FindingsInput) {
  const seen = recent(entries, now)
  const wrongPath = seen.filter(({ op, status }) => op === 'other' && status === 404)
  const [path] = wrongPath
  if (path !== undefined)
    yield {
      ...draft('wrong_path', 'error'),
      at: path.at,
      count: wrongPath.length,
      values: { path: path.detail ?? '' },
    }
  const conflicts = seen.filter((entry) => entry.outcome === 'conflict' && isUser(entry))
  const [conflict] = conflicts
  if (conflict !== undefined)
    yield {
      ...draft('user_conflict', 'error'),
      at: conflict.at,
      count: conflicts.length,
      values: { name: conflict.name ?? '', conflict: conflict.detail ?? '' },
    }
  const refused = seen.filter(({ status }) => status === 400)
  const names = refused.filter(({ detail }) => /userName/.test(detail ?? ''))
  const others = refused.filter((entry) => !names.includes(entry))
  for (const [name, list] of [
    ['invalid_user_name', names],
    ['invalid_value', others],
  ] as const) {
    const [first] = list
    if (first !== undefined)
      yield {
        ...draft(name, 'error'),
        at: first.at,
        count: list.length,
        values: { attribute: first.detail ?? '', name: first.name ?? '' },
      }
  }
  const paths = new Map<string, number>()
  for (const { ignored } of seen)
    for (const one of ignored) paths.set(one, (paths.get(one) ?? 0) + 1)
  if (paths.size > 0) {
    const often = [...paths].toSorted(([, a], [, b]) => b - a).slice(0, MAX_PATHS)
    const shown = often.map(([one]) => one).join(', ')
    yield { ...draft('values_ignored', 'info'), count: paths.size, values: { paths: shown } }
  }
}

const draft = (name: FindingName, level: Finding['level']): Draft => ({ name, level })

const isUser = ({ resourceType }: LogEntry): boolean => resourceType === 'User'

const recent = (entries: readonly LogEntry[], now: Date): readonly LogEntry[] =>
  entries.filter(({ at }) => new Date(at).getTime() > now.getTime() - DAY)
