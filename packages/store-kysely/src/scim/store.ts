import {
  assertOutsideHook,
  guardedStore,
  guardedOutbox,
  HOOK_OWNER,
  observeGroupWrites,
  runHook,
  userHook,
  type ActivityStore,
  type GroupRecord,
  type GroupStore,
  type MemberStore,
  type OnGroupWrite,
  type OnSessionsEnd,
  type OnUserWrite,
  type OutboxStore,
  type ScimStore,
  type TokenStore,
  type UserRecord,
  type UserStore,
} from '@x/scim-core'
import type { ConnectionStore } from '@x/scim-core/connections'
import type { Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { protect } from '../engine/protect.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import { atomic } from '../engine/transaction.ts'
import { toScimError } from './errors.ts'
import { createActivityStore } from './activity.ts'
import { createConnectionStore } from './connections.ts'
import { createGroupStore } from './groups.ts'
import { createKeptValues, type KeptValues } from './kept-values.ts'
import { createListCache, deferredListCache, type ListCache } from './list-cache.ts'
import { createMemberStore } from './members.ts'
import { createOutbox } from './outbox/outbox.ts'
import { createResourceStore, type SqlResourceStore } from './resources.ts'
import { createTokenStore } from './tokens.ts'
import { createUserStore, type AdoptUser } from './users.ts'

/** The handle of a running transaction; pass it to `createFlowStore` to join it. */
export type ScimTransaction = Kysely<ScimTables>

/** Options of a SCIM store. */
export interface ScimStoreOptions {
  /** Called inside the transaction of every user write; throwing rolls it back. */
  readonly onUserWrite?: OnUserWrite<ScimTransaction>
  /** Called inside the transaction of a write after which a person must not be signed in. */
  readonly onSessionsEnd?: OnSessionsEnd<ScimTransaction>
  /** Called inside the transaction of every write of a group or its members. */
  readonly onGroupWrite?: OnGroupWrite<ScimTransaction>
  /** Returns the id of a host account that a new user takes over, or null. */
  readonly adopt?: AdoptUser
}

/** A SQL store, including the tokens of its database. */
export interface SqlScimStore extends ScimStore {
  readonly outbox: OutboxStore
  readonly activity: ActivityStore
  readonly connections: ConnectionStore
  /** Resources of a type in `resourceTypes`. */
  resources(type: string): SqlResourceStore
  readonly tokens: TokenStore
  /** Values shared by all processes, such as the key of a token endpoint. */
  readonly kept: KeptValues
}

/**
 * Creates a SCIM store on a database prepared by `migrateScim`, or on a running transaction, which its writes
 * then join. Methods reject with `UniqueConflictError` or `StoreUnavailableError` of `@x/scim-core`, with
 * errors of hooks, or with a `ScimReentryError` within a hook.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`, or has plugins or
 * another schema
 */
export function createScimStore<Tables>(
  db: Kysely<Tables>,
  options: ScimStoreOptions = {},
): SqlScimStore {
  assertPlain(db)
  const engine = engineOf(db)
  const run: RunHook = (hook) => runHook(engine, hook)
  const { onSessionsEnd: _end, onUserWrite: _write, ...others } = options
  const onUserWrite = userHook(options)
  const hooks = { ...others, ...(onUserWrite !== undefined && { onUserWrite }) }
  return openStore(scimTables(db), { ...hooks, runHook: run, awaitsHook: hasHook(hooks) })
}

/** The same with hooks of this package, which only wait for the database. */
export function createLinkedScimStore<Tables>(
  db: Kysely<Tables>,
  options: Omit<ScimStoreOptions, 'onSessionsEnd'>,
): SqlScimStore {
  return openStore(scimTables(db), {
    ...options,
    runHook: async (hook) => hook(),
    awaitsHook: false,
  })
}

function hasHook({ onUserWrite, onGroupWrite, adopt }: ScimStoreOptions): boolean {
  return onUserWrite !== undefined || onGroupWrite !== undefined || adopt !== undefined
}

function openStore(db: ScimTransaction, options: BoundOptions): SqlScimStore {
  const bound = new BoundStore(db, options, cacheOf(db))
  const { tokens, transaction } = bound
  const inside = options.onGroupWrite === undefined ? bound : eachInTransaction(bound)
  if (db.isTransaction) {
    const { users, groups, members } = inside
    const { outbox, activity, connections } = bound
    const resources = (type: string): SqlResourceStore => bound.resources(type)
    return {
      users,
      groups,
      members,
      outbox,
      activity,
      connections,
      tokens,
      kept: bound.kept,
      resources,
      transaction,
      handle: db,
    }
  }
  const owner = engineOf(db)
  const types = new Map<string, SqlResourceStore>()
  const check = (part: string) => (method: string) => assertOutsideHook(owner, part + method)
  const store = {
    users: guardedStore(inside.users, check('users.')),
    groups: guardedStore(inside.groups, check('groups.')),
    members: guardedStore(inside.members, check('members.'), ['list', 'pages']),
    outbox: guardedOutbox(bound.outbox, check('outbox.')),
    activity: bound.activity,
    connections: guardedStore(bound.connections, check('connections.')),
    tokens: guardedStore(tokens, check('tokens.')),
    kept: guardedStore(bound.kept, check('kept.')),
    resources(type: string) {
      const known = types.get(type)
      if (known !== undefined) return known
      const made = guardedStore(bound.resources(type), check('resources.'))
      types.set(type, made)
      return made
    },
    ...guardedStore({ transaction }, check('')),
  }
  return Object.assign(store, { [HOOK_OWNER]: owner })
}

/** Runs a host's hook. */
type RunHook = <Result>(hook: () => Result | Promise<Result>) => Promise<Result>

interface BoundOptions extends ScimStoreOptions {
  readonly runHook: RunHook
  /** True if transactions await a host's hook and therefore commit separately. */
  readonly awaitsHook: boolean
}

/**
 * Creates its parts on first use, because a transaction usually needs only one or two. A class: a literal
 * with getters would get a separate hidden class per transaction, which outlives it.
 */
class BoundStore implements SqlScimStore {
  readonly transaction: SqlScimStore['transaction']
  readonly handle: ScimTransaction
  readonly #context: Parameters<typeof createUserStore>[1] & Parameters<typeof createGroupStore>[1]
  #users: UserStore | undefined = undefined
  #groups: GroupStore | undefined = undefined
  #members: MemberStore | undefined = undefined
  #outbox: OutboxStore | undefined = undefined
  #connections: ConnectionStore | undefined = undefined
  #tokens: TokenStore | undefined = undefined

  constructor(db: ScimTransaction, options: BoundOptions, cache: ListCache) {
    const seen = db.isTransaction
      ? { seen: new Map<string, UserRecord>(), seenGroups: new Map<string, GroupRecord>() }
      : {}
    this.handle = db
    this.#context = { cache, ...hooksOf(options), ...seen }
    this.transaction = async (_tenant, work, settings) => {
      const changes = deferredListCache(cache)
      const alone = options.awaitsHook || settings?.awaitsHook === true
      try {
        const result = await atomic(
          db,
          (tx) => observed(new BoundStore(tx, options, changes), options, work),
          { alone },
        )
        changes.commit()
        return result
      } catch (error) {
        throw toScimError(error)
      }
    }
  }

  get users(): UserStore {
    return (this.#users ??= protect(createUserStore(this.handle, this.#context), toScimError))
  }

  get groups(): GroupStore {
    return (this.#groups ??= protect(createGroupStore(this.handle, this.#context), toScimError))
  }

  get members(): MemberStore {
    return (this.#members ??= protect(createMemberStore(this.handle), toScimError))
  }

  get outbox(): OutboxStore {
    return (this.#outbox ??= createOutbox(this.handle))
  }

  get activity(): ActivityStore {
    return protect(createActivityStore(this.handle), toScimError)
  }

  get connections(): ConnectionStore {
    return (this.#connections ??= protect(createConnectionStore(this.handle), toScimError))
  }

  resources(type: string): SqlResourceStore {
    return protect(createResourceStore(this.handle, type, this.#context.cache), toScimError)
  }

  get kept(): KeptValues {
    return protect(createKeptValues(this.handle), toScimError)
  }

  get tokens(): TokenStore {
    return (this.#tokens ??= protect(createTokenStore(this.handle), toScimError))
  }
}

/** The user hooks, run so that calls from within them are detected. */
function hooksOf({ onUserWrite, adopt, runHook: run }: BoundOptions): {
  readonly onUserWrite?: OnUserWrite<ScimTransaction>
  readonly adopt?: AdoptUser
} {
  return {
    ...(onUserWrite && { onUserWrite: (change, tx) => run(() => onUserWrite(change, tx)) }),
    ...(adopt && { adopt: (tenant, record, tx) => run(() => adopt(tenant, record, tx)) }),
  }
}

/** Runs a transaction's work and reports its changes to groups. */
async function observed<Result>(
  tx: BoundStore,
  { onGroupWrite, runHook: run }: BoundOptions,
  work: (tx: ScimStore) => Promise<Result>,
): Promise<Result> {
  if (onGroupWrite === undefined) return work(tx)
  const { store, flush } = observeGroupWrites(tx, (change) =>
    run(() => onGroupWrite(change, tx.handle)),
  )
  const result = await work(store)
  await flush()
  return result
}

/** A store in which each group write is a transaction, so that it is reported as a whole. */
function eachInTransaction(store: BoundStore): Pick<SqlScimStore, 'users' | 'groups' | 'members'> {
  const { users, groups, members } = store
  const within = <Result>(
    tenant: string,
    work: (tx: ScimStore) => Promise<Result>,
  ): Promise<Result> => store.transaction(tenant, work)
  return {
    users,
    groups: {
      ...groups,
      insert: (tenant, ...rest) => within(tenant, (tx) => tx.groups.insert(tenant, ...rest)),
      update: (tenant, ...rest) => within(tenant, (tx) => tx.groups.update(tenant, ...rest)),
      remove: (tenant, ...rest) => within(tenant, (tx) => tx.groups.remove(tenant, ...rest)),
    },
    members: {
      ...members,
      add: (tenant, ...rest) => within(tenant, (tx) => tx.members.add(tenant, ...rest)),
      remove: (tenant, ...rest) => within(tenant, (tx) => tx.members.remove(tenant, ...rest)),
      clear: (tenant, ...rest) => within(tenant, (tx) => tx.members.clear(tenant, ...rest)),
      removeUser: (tenant, ...rest) =>
        within(tenant, (tx) => tx.members.removeUser(tenant, ...rest)),
    },
  }
}

const caches = new WeakMap<object, ListCache>()

/** All stores of a database share their list cache. */
function cacheOf(db: ScimTransaction): ListCache {
  const engine = engineOf(db)
  const known = caches.get(engine)
  if (known !== undefined) return known
  const cache = createListCache()
  caches.set(engine, cache)
  return cache
}

/** Statements are compiled once per dialect, so nothing may rewrite them. */
function assertPlain<Tables>(db: Kysely<Tables>): void {
  if (db.getExecutor().plugins.length === 0) return
  throw new TypeError(
    'createScimStore needs the database exactly as openSqlite or openPostgres returned it',
  )
}

/** The tables are guaranteed by the migrations, not by the database's type. */
function scimTables<Tables>(db: Kysely<Tables>): ScimTransaction {
  return db as unknown as ScimTransaction
}
