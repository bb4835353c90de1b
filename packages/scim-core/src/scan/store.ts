import { observeGroupWrites } from '../store/group-writes.ts'
import { assertOutsideHook, guardedStore, HOOK_OWNER, runHook } from '../store/hooks.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { autoCommitStore } from '../memory/auto-commit.ts'
import { createScanSession } from './session.ts'
import type { ScanStoreOptions } from './types.ts'
import { createStampedLoad, type LoadRows } from './stamped-load.ts'
import { assertCount, createWorkspace } from './workspace.ts'

/**
 * Creates a complete store from a host's functions that load and save rows of its own tables (SH-3). Holds
 * the rows of a request in memory, so it suits tenants of some 10,000 users, or more if `load` honours
 * `want`.
 */
export function createScanStore<Tx>(options: ScanStoreOptions<Tx>): ScimStore {
  const { maxUsers = 10_000, stamp, onUserWrite, onGroupWrite } = options
  const stamped = createStampedLoad(({ users }, tenant) => assertCount(users, { tenant, maxUsers }))
  const owner = {}

  const transaction: ScimStore['transaction'] = (tenant, work, { needsVersion = false } = {}) =>
    options.transaction(tenant, async (handle) => {
      const loadRows: LoadRows = (want) => options.load(tenant, handle, want)
      const load =
        stamp === undefined ? loadRows : stamped(tenant, () => stamp(tenant, handle), loadRows)
      const workspace = createWorkspace(tenant, { load, maxUsers, needsVersion })
      let isOver = false
      const check = (): void => {
        if (isOver) throw new TypeError('The transaction has ended')
      }
      const session = createScanSession(
        workspace,
        (change) => onUserWrite && runHook(owner, () => onUserWrite(change, handle)),
      )
      const tx: ScimStore = {
        users: guardedStore(session.users, check),
        groups: guardedStore(session.groups, check),
        members: guardedStore(session.members, check, ['list']),
        transaction: (_tenant, inner) => inner(tx),
        handle,
      }
      try {
        const result = await observed(tx, work)
        const changes = workspace.changes()
        if (changes !== null) await options.save(tenant, changes, handle)
        return result
      } finally {
        isOver = true
      }
    })

  const observed = async <Result>(
    tx: ScimStore,
    work: (tx: ScimStore) => Promise<Result>,
  ): Promise<Result> => {
    if (onGroupWrite === undefined) return work(tx)
    const { store, flush } = observeGroupWrites(tx, (change) =>
      runHook(owner, () => onGroupWrite(change, tx.handle as Tx)),
    )
    const result = await work(store)
    await flush()
    return result
  }

  const outside = autoCommitStore(transaction)
  const check = (part: string) => (method: string) => assertOutsideHook(owner, part + method)
  return Object.assign(
    {
      users: guardedStore(outside.users, check('users.')),
      groups: guardedStore(outside.groups, check('groups.')),
      members: guardedStore(outside.members, check('members.'), ['list']),
      ...guardedStore({ transaction }, check('')),
    },
    { [HOOK_OWNER]: owner },
  )
}
