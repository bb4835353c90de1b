import type {
  OnUserWrite,
  SharedUserChanges,
  UserChange,
  UserRecord,
  UserStore,
} from '@x/flow-service/store'
import { sql } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { encodeText } from '../records/columns.ts'
import { keptRecords } from '../records/kept-records.ts'
import { atomic, locksRows } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { userMapping } from './mappings.ts'
import { removeOwned } from './removal.ts'
import { pageOf } from './slices.ts'

/** Cached, because each request reads its user. */
const USER_CACHE = {
  records: 1000,
  characters: 1024 * 1024,
  sizeOf: ({ profileImage, optins }: UserRecord) =>
    (profileImage?.length ?? 0) + JSON.stringify(optins).length,
}

/** A user whose row is about to be locked; `patch` is null if it is removed. */
export interface UserLock {
  readonly id: string
  readonly patch: SharedUserChanges | null
}

/** Hooks that run inside the transaction of every write. */
export interface UserHooks {
  readonly onUserWrite?: OnUserWrite<FlowDb>
  /** On PostgreSQL, called before the row of a user is locked: takes the locks that come before it. */
  readonly beforeUserLock?: (write: UserLock, tx: FlowDb) => Promise<void>
}

export function createUsers(db: FlowDb, { onUserWrite, beforeUserLock }: UserHooks): UserStore {
  const rows = rowsOf(db, 'flow_user', userMapping)
  const callHook = async (tx: FlowDb, change: UserChange): Promise<void> => {
    await onUserWrite?.(change, tx)
  }
  const lock = async (tx: FlowDb, write: UserLock): Promise<UserRecord | null> => {
    if (locksRows(tx)) await beforeUserLock?.(write, tx)
    return lockUser(tx, write.id)
  }

  return {
    get: keptRecords(db, (id) => rows.first({ id }), USER_CACHE),
    findByUsername: (username) => rows.first({ username }),
    findSuperuser: () => rows.first({ isSuperuser: true }),

    list: (slice) => pageOf(rows, slice, { where: sql`1 = 1`, order: sql`created_at, id` }),

    async lock(id, patch) {
      if (db.isTransaction && locksRows(db)) await beforeUserLock?.({ id, patch }, db)
    },

    async countActiveSuperusers() {
      const active = { isSuperuser: true, isActive: true }
      if (!db.isTransaction || engineOf(db).kind === 'sqlite') return rows.count(rows.where(active))
      return (await rows.select(sql`where ${rows.where(active)} order by seq for update`)).length
    },

    insert: (record) =>
      atomic(db, async (tx) => {
        await rowsOf(tx, 'flow_user', userMapping).insert([record], nameColumns)
        await callHook(tx, { kind: 'create', before: null, after: record })
      }),

    update: (id, patch) =>
      atomic(db, async (tx) => {
        const before = await lock(tx, { id, patch })
        if (before === null) return null
        const more = patch.username === undefined ? {} : nameColumns({ username: patch.username })
        const after = await rowsOf(tx, 'flow_user', userMapping).update({ id }, patch, more)
        if (after !== null) await callHook(tx, { kind: kindOf(before, after), before, after })
        return after
      }),

    remove: (id) =>
      atomic(db, async (tx) => {
        const before = await lock(tx, { id, patch: null })
        const flowIds = await removeOwned(tx, id)
        if (before === null) return false
        await rowsOf(tx, 'flow_user', userMapping).remove({ id })
        await callHook(tx, { kind: 'remove', before, after: null, flowIds })
        return true
      }),
  }
}

/** Searches of the component store compare lower-case names, directories also NFKC. */
function nameColumns({ username }: Pick<UserRecord, 'username'>): Record<string, string> {
  return {
    username_key: encodeText(username.toLowerCase()),
    username_fold: encodeText(username.normalize('NFKC').toLowerCase()),
  }
}

/** Reads a user and locks the row until the transaction ends. */
async function lockUser(tx: FlowDb, id: string): Promise<UserRecord | null> {
  const lock = locksRows(tx) ? sql`for update` : sql``
  const found = await rowsOf(tx, 'flow_user', userMapping).select(sql`where id = ${id} ${lock}`)
  return found[0] ?? null
}

function kindOf(before: UserRecord, after: UserRecord): UserChange['kind'] {
  if (before.isActive === after.isActive) return 'update'
  return after.isActive ? 'reactivate' : 'deactivate'
}
