import type { ScimStore } from '../store/scim-store.ts'
import type { OnUserWrite } from '../store/users.ts'
import { createGroupStore } from './groups.ts'
import { createMemberStore } from './members.ts'
import { createTenantState, type TenantState } from './tenant.ts'
import type { UndoLog } from './table.ts'
import { createUserStore } from './users.ts'

export interface MemoryScimStoreOptions {
  /** Called inside the transaction of each write of a user, with the store of that transaction. */
  readonly onUserWrite?: OnUserWrite<ScimStore>
}

/**
 * A store in memory: the executable definition of the storage interface (SC-87), for tests and
 * trials. Transactions run one after another; everything outside of one waits for the running one.
 */
export function createMemoryScimStore({ onUserWrite }: MemoryScimStoreOptions = {}): ScimStore {
  const tenants = new Map<string, TenantState>()
  const exclusive = createQueue()

  const state = (tenant: string): TenantState => {
    const known = tenants.get(tenant)
    if (known !== undefined) return known
    const fresh = createTenantState()
    tenants.set(tenant, fresh)
    return fresh
  }

  const inTransaction = <T>(work: (tx: ScimStore) => Promise<T>): Promise<T> =>
    exclusive(async () => {
      const undo: UndoLog = []
      const tx = createSession(undo)
      try {
        return await work(tx)
      } catch (error) {
        for (const revert of undo.toReversed()) revert()
        throw error
      }
    })

  const createSession = (undo: UndoLog): ScimStore => {
    const session = {
      state,
      undo,
      onUserWrite: (change: Parameters<OnUserWrite<ScimStore>>[0]) => onUserWrite?.(change, tx),
    }
    const tx: ScimStore = {
      users: createUserStore(session),
      groups: createGroupStore(session),
      members: createMemberStore(session),
      transaction: (_tenant, work) => work(tx),
    }
    return tx
  }

  return outside(inTransaction)
}

type InTransaction = <T>(work: (tx: ScimStore) => Promise<T>) => Promise<T>

/** The store outside of transactions: every call is a transaction of its own. */
function outside(inTransaction: InTransaction): ScimStore {
  return {
    users: {
      get: (...args) => inTransaction(({ users }) => users.get(...args)),
      insert: (...args) => inTransaction(({ users }) => users.insert(...args)),
      update: (...args) => inTransaction(({ users }) => users.update(...args)),
      remove: (...args) => inTransaction(({ users }) => users.remove(...args)),
      briefs: (...args) => inTransaction(({ users }) => users.briefs(...args)),
      list: (...args) => inTransaction(({ users }) => users.list(...args)),
    },
    groups: {
      get: (...args) => inTransaction(({ groups }) => groups.get(...args)),
      insert: (...args) => inTransaction(({ groups }) => groups.insert(...args)),
      update: (...args) => inTransaction(({ groups }) => groups.update(...args)),
      remove: (...args) => inTransaction(({ groups }) => groups.remove(...args)),
      briefs: (...args) => inTransaction(({ groups }) => groups.briefs(...args)),
      list: (...args) => inTransaction(({ groups }) => groups.list(...args)),
    },
    members: {
      add: (...args) => inTransaction(({ members }) => members.add(...args)),
      remove: (...args) => inTransaction(({ members }) => members.remove(...args)),
      clear: (...args) => inTransaction(({ members }) => members.clear(...args)),
      removeUser: (...args) => inTransaction(({ members }) => members.removeUser(...args)),
      count: (...args) => inTransaction(({ members }) => members.count(...args)),
      has: (...args) => inTransaction(({ members }) => members.has(...args)),
      groupsOf: (...args) => inTransaction(({ members }) => members.groupsOf(...args)),
      async *list(...args) {
        yield* await inTransaction(({ members }) => collect(members.list(...args)))
      },
    },
    transaction: (_tenant, work) => inTransaction(work),
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

/** Runs tasks one after another. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (task) => {
    const result = waiting === 0 ? task() : last.then(task)
    waiting += 1
    const settled = (): void => {
      waiting -= 1
    }
    last = result.then(settled, settled)
    return result
  }
}
