import { observeGroupWrites, type ObservedStore } from '../store/group-writes.ts'
import type { ActivityStore } from '../store/activity.ts'
import type { OnGroupWrite } from '../store/groups.ts'
import {
  assertOutsideHook,
  guardedStore,
  guardedOutbox,
  HOOK_OWNER,
  runHook,
} from '../store/hooks.ts'
import type { OutboxStore } from '../store/outbox.ts'
import { userHook, type OnSessionsEnd } from '../store/sessions-end.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { OnUserWrite, UserWrite } from '../store/users.ts'
import { createMemoryActivity } from './activity.ts'
import { createGroupStore } from './groups.ts'
import { createMemberStore } from './members.ts'
import { createMemoryOutbox, createOutboxState } from './outbox.ts'
import { autoCommitOutbox, autoCommitResources } from './auto-commit-outbox.ts'
import { autoCommitStore } from './auto-commit.ts'
import { createQueue } from './queue.ts'
import { createResourceState, resourceStore, type ResourceState } from './resources.ts'
import { createTenantState, type TenantState } from './tenant.ts'
import type { UndoLog } from './table.ts'
import { createUserStore } from './users.ts'

export interface MemoryScimStoreOptions {
  /** Called inside the transaction of every user write, with the store of that transaction. */
  readonly onUserWrite?: OnUserWrite<ScimStore>
  /** Called inside the transaction of a write after which a person must not be signed in. */
  readonly onSessionsEnd?: OnSessionsEnd<ScimStore>
  /** Called inside the transaction of every write of a group or its members. */
  readonly onGroupWrite?: OnGroupWrite<ScimStore>
  /** Maximum time a call waits for the running transaction, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number
}

/** Options of the in-memory store. */
export interface MemoryScimStore extends ScimStore {
  readonly outbox: OutboxStore
  readonly activity: ActivityStore
  resources(type: string): WritableResourceStore
}

type WritableResourceStore = ReturnType<typeof autoCommitResources>

/**
 * An in-memory store: the executable definition of the storage interface, for tests and trials.
 * Transactions run sequentially; calls outside a transaction wait for the running one.
 */
export function createMemoryScimStore(options: MemoryScimStoreOptions = {}): MemoryScimStore {
  const { onGroupWrite, busyTimeoutMs = 5_000 } = options
  const onUserWrite = userHook(options)
  const tenants = new Map<string, TenantState>()
  const exclusive = createQueue(busyTimeoutMs)
  const owner = {}
  const outbox = createOutboxState()
  const types = new Map<string, ResourceState>()
  const stateOf = (type: string): ResourceState => {
    const known = types.get(type) ?? createResourceState()
    types.set(type, known)
    return known
  }

  const state = (tenant: string): TenantState => {
    const known = tenants.get(tenant)
    if (known !== undefined) return known
    const fresh = createTenantState()
    tenants.set(tenant, fresh)
    return fresh
  }

  const transaction: ScimStore['transaction'] = (_tenant, work) =>
    exclusive(async () => {
      const undo: UndoLog = []
      const session = createSession(undo)
      try {
        const result = await work(session.tx)
        await session.flush()
        return result
      } catch (error) {
        for (const revert of undo.toReversed()) revert()
        throw error
      } finally {
        session.end()
      }
    })

  const createSession = (undo: UndoLog) => {
    let isOver = false
    const check = (): void => {
      if (isOver) throw new TypeError('The transaction has ended')
    }
    const session = {
      state,
      undo,
      onUserWrite: (change: UserWrite): void | Promise<void> =>
        onUserWrite && runHook(owner, () => onUserWrite(change, observed.store)),
    }
    const tx: ScimStore = {
      users: guardedStore(createUserStore(session), check),
      groups: guardedStore(createGroupStore(session), check),
      members: guardedStore(createMemberStore(session), check, ['list']),
      outbox: guardedOutbox(createMemoryOutbox(outbox, undo), check),
      resources: (type) => guardedStore(resourceStore(stateOf(type), undo), check),
      transaction: (_tenant, work) => work(tx),
    }
    const observed: ObservedStore =
      onGroupWrite === undefined
        ? { store: tx, flush: () => Promise.resolve() }
        : observeGroupWrites(tx, (change) =>
            runHook(owner, () => onGroupWrite(change, observed.store)),
          )
    // A transaction of the in-memory store is its own handle.
    Object.assign(observed.store, { handle: observed.store })
    return {
      tx: observed.store,
      flush: () => observed.flush(),
      end: () => {
        isOver = true
      },
    }
  }

  const store = autoCommitStore(transaction)
  const outsideTypes = new Map<string, WritableResourceStore>()
  const check = (part: string) => (method: string) => assertOutsideHook(owner, part + method)
  return Object.assign(
    {
      users: guardedStore(store.users, check('users.')),
      groups: guardedStore(store.groups, check('groups.')),
      members: guardedStore(store.members, check('members.'), ['list']),
      outbox: guardedOutbox(autoCommitOutbox(transaction), check('outbox.')),
      activity: createMemoryActivity((tenant) => state(tenant).users.all()),
      resources(type: string) {
        const known = outsideTypes.get(type)
        if (known !== undefined) return known
        const made = guardedStore(autoCommitResources(transaction, type), check('resources.'))
        outsideTypes.set(type, made)
        return made
      },
      ...guardedStore({ transaction }, check('')),
    },
    { [HOOK_OWNER]: owner },
  )
}
