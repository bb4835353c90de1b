import type {
  ActivityRecord,
  ConnectionMetadata,
  LinkRecord,
  LogRecord,
  Numbered,
  PortalStore,
  ReceivedRecord,
  SessionRecord,
  WriterRecord,
} from '../store/portal-store.ts'

import type { ScimStore } from '@x/scim-core'
import { createMemoryDomains } from './domains.ts'
import { createMemoryRoles } from './roles.ts'

const RECEIVED = 20
const LINKS = 200
const NO_FACTS: ConnectionMetadata = {
  cursor: 0,
  requests: 0,
  lastRequestAt: null,
  firstUser: null,
}

export interface MemoryPortalStoreOptions {
  /** The directory in memory, which roles need. */
  readonly directory?: () => ScimStore
}

/** A portal store in memory, for tests and trials. */
export function createMemoryPortalStore({
  directory = noDirectory,
}: MemoryPortalStoreOptions = {}): PortalStore {
  let seq = 0
  const links = new Map<string, LinkRecord>()
  const sessions = new Map<string, SessionRecord>()
  let log: Numbered<LogRecord>[] = []
  let received: ReceivedRecord[] = []
  let activity: Numbered<ActivityRecord>[] = []
  const writers = new Map<string, WriterRecord>()
  const facts = new Map<string, ConnectionMetadata>()
  const keyOf = (tenant: string, id: string): string => JSON.stringify([tenant, id])
  const endSessions = (isEnded: (record: SessionRecord) => boolean): void => {
    for (const record of sessions.values()) if (isEnded(record)) sessions.delete(record.digest)
  }
  const isOf =
    (tenant: string, connectionId: string) =>
    (record: { readonly tenant: string; readonly connectionId: string | null }): boolean =>
      record.tenant === tenant && record.connectionId === connectionId
  const number = (): number => (seq += 1)

  return {
    links: {
      insert(record) {
        links.set(record.digest, record)
      },
      list: (tenant) =>
        [...links.values()]
          .filter((link) => link.tenant === tenant)
          .toSorted((a, b) => b.created.getTime() - a.created.getTime())
          .slice(0, LINKS),
      byDigest: (digest) => links.get(digest) ?? null,
      redeem(digest, at) {
        const link = links.get(digest)
        if (link === undefined || link.usedAt !== null || link.revokedAt !== null) return false
        if (link.expiresAt <= at) return false
        links.set(digest, { ...link, usedAt: at })
        return true
      },
      revoke(tenant, id, at) {
        const link = [...links.values()].find((one) => one.id === id && one.tenant === tenant)
        if (link === undefined) return false
        if (link.revokedAt === null) links.set(link.digest, { ...link, revokedAt: at })
        endSessions(({ linkId }) => linkId === id)
        return true
      },
    },
    sessions: {
      insert(record) {
        sessions.set(record.digest, record)
      },
      byDigest: (digest) => sessions.get(digest) ?? null,
      seen(tenant, id, at) {
        for (const record of sessions.values())
          if (record.id === id && record.tenant === tenant)
            sessions.set(record.digest, { ...record, seenAt: at })
      },
      end: (tenant, id) => endSessions((one) => one.tenant === tenant && one.id === id),
      endAll: (tenant) => endSessions((one) => one.tenant === tenant),
    },
    log: {
      append(batch) {
        for (const record of batch.log) log.push({ ...record, seq: number() })
        for (const record of batch.received) {
          received.unshift(record)
          const own = received.filter(isOf(record.tenant, record.connectionId))
          const oldest = own[RECEIVED]
          if (oldest !== undefined) received = received.filter((one) => one !== oldest)
        }
        for (const record of batch.writers) writers.set(keyOf(record.tenant, record.userId), record)
        for (const { tenant, connectionId, requests, lastRequestAt, firstUser } of batch.facts) {
          const key = keyOf(tenant, connectionId)
          const known = facts.get(key) ?? NO_FACTS
          facts.set(key, {
            cursor: known.cursor + 1,
            requests: known.requests + requests,
            lastRequestAt: lastRequestAt ?? known.lastRequestAt,
            firstUser: known.firstUser ?? firstUser,
          })
        }
      },
      list: (tenant, connectionId, { search, outcome, op, before, limit }) =>
        log
          .filter(isOf(tenant, connectionId))
          .filter(
            (record) =>
              (search === undefined || record.search.includes(search)) &&
              (outcome === undefined || record.outcome === outcome) &&
              (op === undefined || record.op === op) &&
              (before === undefined || record.seq < before),
          )
          .toReversed()
          .slice(0, limit),
      received: (tenant, connectionId) => received.filter(isOf(tenant, connectionId)),
      facts: (tenant, connectionId) => facts.get(keyOf(tenant, connectionId)) ?? NO_FACTS,
      written: (tenant, connectionId, { after = '', limit }) =>
        [...writers.values()]
          .filter(isOf(tenant, connectionId))
          .map(({ userId }) => userId)
          .filter((id) => id > after)
          .toSorted()
          .slice(0, limit),
      forget(tenant, connectionId) {
        const isGone = isOf(tenant, connectionId)
        log = log.filter((record) => !isGone(record))
        received = received.filter((record) => !isGone(record))
        for (const [key, record] of writers) if (isGone(record)) writers.delete(key)
        facts.delete(keyOf(tenant, connectionId))
      },
    },
    activity: {
      append(record) {
        activity.push({ ...record, seq: number() })
      },
      list: (tenant, { before, limit }) =>
        activity
          .filter((one) => one.tenant === tenant && (before === undefined || one.seq < before))
          .toReversed()
          .slice(0, limit),
    },
    domains: createMemoryDomains(),
    roles: createMemoryRoles(directory),
    trim(limits) {
      for (const link of links.values())
        if (link.expiresAt < limits.ended) links.delete(link.digest)
      endSessions(({ expiresAt }) => expiresAt < limits.ended)
      const kept = new Map<string, number>()
      log = log
        .toReversed()
        .filter(({ tenant, connectionId, at }) => {
          const key = keyOf(tenant, connectionId)
          const count = (kept.get(key) ?? 0) + 1
          kept.set(key, count)
          return at >= limits.log && count <= limits.entries
        })
        .toReversed()
      received = received.filter(({ at }) => at >= limits.received)
      activity = activity.filter(({ at }) => at >= limits.activity)
    },
  }
}

function noDirectory(): never {
  throw new TypeError('createMemoryPortalStore needs the option "directory" for roles')
}
