import type { LogEntry, LogOutcome } from '../log/log-entry.ts'
import type { RoleStore } from './role-store.ts'

type Awaitable<T> = T | Promise<T>

/** What a person with a link or a session of the host may do. */
export type PortalPermission = 'manage' | 'view'

/** A link to the portal, without its token. */
export interface LinkRecord {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of the token in hexadecimal digits; unique. */
  readonly digest: string
  readonly tenantName: string | null
  readonly actor: string
  readonly permission: PortalPermission
  readonly language: string | null
  readonly returnUrl: string | null
  readonly created: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  readonly revokedAt: Date | null
}

/** An open session of the portal, without its secret. */
export interface SessionRecord extends Pick<
  LinkRecord,
  | 'id'
  | 'tenant'
  | 'digest'
  | 'tenantName'
  | 'actor'
  | 'permission'
  | 'language'
  | 'returnUrl'
  | 'created'
  | 'expiresAt'
> {
  readonly linkId: string
  readonly seenAt: Date
}

/** A request of a connection as it is written to the log. */
export interface LogRecord {
  readonly tenant: string
  readonly connectionId: string
  readonly at: Date
  readonly requestId: string
  readonly outcome: LogOutcome
  readonly op: string
  /** Folded text that a search looks through. */
  readonly search: string
  readonly entry: LogEntry
}

/** A received write of a user. */
export interface ReceivedRecord {
  readonly tenant: string
  readonly connectionId: string
  readonly requestId: string
  readonly at: Date
  readonly userId: string | null
  readonly userName: string | null
  readonly op: string
  readonly body: unknown
  readonly ignored: readonly { readonly path: string; readonly reason: string }[]
}

/** The last write of a user; by no connection if it was another credential. */
export interface WriterRecord {
  readonly tenant: string
  readonly userId: string
  readonly connectionId: string | null
  readonly at: Date
}

/** What happened to a connection since it was made. */
export interface ConnectionMetadata {
  /** Grows with each change. */
  readonly cursor: number
  readonly requests: number
  readonly lastRequestAt: Date | null
  readonly firstUser: {
    readonly id: string
    readonly userName: string | null
    readonly at: Date
  } | null
}

/** What a batch of requests adds to a connection. */
export interface FactsChange {
  readonly tenant: string
  readonly connectionId: string
  readonly requests: number
  readonly lastRequestAt: Date | null
  readonly firstUser: ConnectionMetadata['firstUser']
}

/** Requests of any number of connections, written together. */
export interface LogBatch {
  readonly log: readonly LogRecord[]
  readonly received: readonly ReceivedRecord[]
  readonly writers: readonly WriterRecord[]
  readonly facts: readonly FactsChange[]
}

export interface LogQuery {
  /** Folded; a part of the text. */
  readonly search?: string | undefined
  readonly outcome?: LogOutcome | undefined
  readonly op?: string | undefined
  /** The number of the last entry of the previous page. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Who did what in the portal. */
export interface ActivityRecord {
  readonly tenant: string
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly target: string | null
}

/** A domain of a tenant. */
export interface DomainRecord {
  readonly tenant: string
  readonly domain: string
  /** The random part of its TXT record. */
  readonly value: string
  readonly state: 'pending' | 'verified' | 'lapsed'
  readonly verifiedAt: Date | null
  readonly checkedAt: Date | null
  /** Failed checks since the last one that succeeded, and the first of them. */
  readonly failures: number
  readonly failedSince: Date | null
  readonly removed: boolean
}

/** A record with its number in the order of writing. */
export type Numbered<Record> = Record & { readonly seq: number }

/**
 * The portal's own records. Every method names the tenant, except where the digest of a secret does; an id of
 * another tenant is not found.
 */
export interface PortalStore {
  readonly links: {
    insert(record: LinkRecord): Awaitable<void>
    /** By created, newest first, at most 200. */
    list(tenant: string): Awaitable<readonly LinkRecord[]>
    byDigest(digest: string): Awaitable<LinkRecord | null>
    /** Marks it used if it can still be used; of any number of calls at once one is true. */
    redeem(digest: string, at: Date): Awaitable<boolean>
    /** Ends its sessions too. False if it does not exist. */
    revoke(tenant: string, id: string, at: Date): Awaitable<boolean>
  }
  readonly sessions: {
    insert(record: SessionRecord): Awaitable<void>
    byDigest(digest: string): Awaitable<SessionRecord | null>
    seen(tenant: string, id: string, at: Date): Awaitable<void>
    end(tenant: string, id: string): Awaitable<void>
    endAll(tenant: string): Awaitable<void>
  }
  readonly log: {
    append(batch: LogBatch): Awaitable<void>
    /** Newest first. */
    list(
      tenant: string,
      connectionId: string,
      query: LogQuery,
    ): Awaitable<readonly Numbered<LogRecord>[]>
    /** Newest first, at most 20. */
    received(tenant: string, connectionId: string): Awaitable<readonly ReceivedRecord[]>
    facts(tenant: string, connectionId: string): Awaitable<ConnectionMetadata>
    /** The ids of the users that the connection wrote last, ordered, after `after`. */
    written(
      tenant: string,
      connectionId: string,
      page: { readonly after?: string; readonly limit: number },
    ): Awaitable<readonly string[]>
    /** Removes everything of a connection. */
    forget(tenant: string, connectionId: string): Awaitable<void>
  }
  readonly activity: {
    append(record: ActivityRecord): Awaitable<void>
    /** Newest first. */
    list(
      tenant: string,
      page: { readonly before?: number | undefined; readonly limit: number },
    ): Awaitable<readonly Numbered<ActivityRecord>[]>
  }
  readonly domains: {
    /**
     * Adds a domain, or brings it back with its value; one that is there stays as it is. null above `limit`.
     */
    add(
      record: Pick<DomainRecord, 'tenant' | 'domain' | 'value'> & { readonly at: Date },
      limit: number,
    ): Awaitable<DomainRecord | null>
    get(tenant: string, domain: string): Awaitable<DomainRecord | null>
    /** Those that are not removed, by name. */
    list(tenant: string): Awaitable<readonly DomainRecord[]>
    /** Verifies it for the tenant; false if another one holds it. Of any number at once one is true. */
    hold(tenant: string, domain: string, at: Date): Awaitable<boolean>
    /** The tenant that holds a domain. */
    holder(domain: string): Awaitable<string | null>
    /** Releases it. */
    lapse(tenant: string, domain: string): Awaitable<void>
    /** Releases it, and keeps its value. */
    remove(tenant: string, domain: string): Awaitable<void>
    /** Verified ones that were checked before `before`, the oldest first. */
    due(before: Date, limit: number): Awaitable<readonly DomainRecord[]>
    checked(
      tenant: string,
      domain: string,
      check: { readonly at: Date } & Pick<DomainRecord, 'failures' | 'failedSince'>,
    ): Awaitable<void>
  }
  readonly roles: RoleStore
  /**
   * Removes what is older than its time: sessions and links that ended before `ended`, log entries before
   * `log` and beyond `entries` of each connection, received writes before `received`, activity before
   * `activity`.
   */
  trim(limits: {
    readonly ended: Date
    readonly log: Date
    readonly entries: number
    readonly received: Date
    readonly activity: Date
  }): Awaitable<void>
}
