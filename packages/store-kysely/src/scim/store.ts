import type {
  GroupRecord,
  GroupStore,
  MemberStore,
  OnUserWrite,
  ScimStore,
  TokenStore,
  UserRecord,
  UserStore,
} from '@x/scim-core'
import type { Kysely } from 'kysely'
import { engineOf } from '../dialect.ts'
import { protect } from '../protect.ts'
import type { ScimTables } from '../tables/scim.ts'
import { atomic } from '../transaction.ts'
import { toScimError } from './errors.ts'
import { createGroupStore } from './groups.ts'
import { createListCache, deferredListCache, type ListCache } from './list-cache.ts'
import { createMemberStore } from './members.ts'
import { createTokenStore } from './tokens.ts'
import { createUserStore, type AdoptUser } from './users.ts'

/** The handle of a running transaction; `createFlowStore(transaction)` joins it. */
export type ScimTransaction = Kysely<ScimTables>

/** How a SCIM store works together with a host's own records. */
export interface ScimStoreOptions {
  /** Called inside the transaction of every user write; what it throws undoes the write (SU-2). */
  readonly onUserWrite?: OnUserWrite<ScimTransaction>
  /** Gives the id of a host's account that a new user takes over, or null (SU-11). */
  readonly adopt?: AdoptUser
}

/** A store over SQL, with the tokens of its database. */
export interface SqlScimStore extends ScimStore {
  readonly tokens: TokenStore
}

/**
 * The SCIM store over a database that `migrateScim` has prepared, or over a running transaction of
 * one, which its writes then join. Every method rejects with `UniqueConflictError` or
 * `StoreUnavailableError` of `@x/scim-core`, and what `onUserWrite` throws.
 *
 * @throws TypeError when the database was not opened by `openSqlite` or `openPostgres`
 */
export function createScimStore<Tables>(
  db: Kysely<Tables>,
  options: ScimStoreOptions = {},
): SqlScimStore {
  const scim = scimTables(db)
  const { users, groups, members, tokens, transaction } = new BoundStore(
    scim,
    options,
    cacheOf(scim),
  )
  return { users, groups, members, tokens, transaction }
}

/**
 * The parts are made when they are asked for: a transaction mostly needs one or two. A class: a literal
 * with getters would get a hidden class of its own for each transaction, which outlives it.
 */
class BoundStore implements SqlScimStore {
  readonly transaction: SqlScimStore['transaction']
  readonly #db: ScimTransaction
  readonly #context: Parameters<typeof createUserStore>[1] & Parameters<typeof createGroupStore>[1]
  #users: UserStore | undefined = undefined
  #groups: GroupStore | undefined = undefined
  #members: MemberStore | undefined = undefined
  #tokens: TokenStore | undefined = undefined

  constructor(db: ScimTransaction, options: ScimStoreOptions, cache: ListCache) {
    const seen = db.isTransaction
      ? { seen: new Map<string, UserRecord>(), seenGroups: new Map<string, GroupRecord>() }
      : {}
    this.#db = db
    this.#context = { ...options, cache, ...seen }
    this.transaction = async (_tenant, work) => {
      const changes = deferredListCache(cache)
      try {
        const result = await atomic(db, (tx) => work(new BoundStore(tx, options, changes)))
        changes.commit()
        return result
      } catch (error) {
        throw toScimError(error)
      }
    }
  }

  get users(): UserStore {
    return (this.#users ??= protect(createUserStore(this.#db, this.#context), toScimError))
  }

  get groups(): GroupStore {
    return (this.#groups ??= protect(createGroupStore(this.#db, this.#context), toScimError))
  }

  get members(): MemberStore {
    return (this.#members ??= protect(createMemberStore(this.#db), toScimError))
  }

  get tokens(): TokenStore {
    return (this.#tokens ??= protect(createTokenStore(this.#db), toScimError))
  }
}

const caches = new WeakMap<object, ListCache>()

/** All stores of one database share what they know about its lists. */
function cacheOf(db: ScimTransaction): ListCache {
  const engine = engineOf(db)
  const known = caches.get(engine)
  if (known !== undefined) return known
  const cache = createListCache()
  caches.set(engine, cache)
  return cache
}

/** Which tables a database has is known to its migrations, not to its type. */
function scimTables<Tables>(db: Kysely<Tables>): ScimTransaction {
  return db as unknown as ScimTransaction
}
