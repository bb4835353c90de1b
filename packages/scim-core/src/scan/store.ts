import { userHook } from '../store/sessions-end.ts'
import { observeGroupWrites } from '../store/group-writes.ts'
import { assertOutsideHook, guardedStore, HOOK_OWNER, runHook } from '../store/hooks.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { autoCommitStore } from '../memory/auto-commit.ts'
import { createScanSession } from './session.ts'
import type { ScanStoreOptions } from './types.ts'
import { createSnapshotLoader, type LoadRows } from './snapshot-loader.ts'
import { assertCount, createWorkspace } from './workspace.ts'

/**
 * Creates a complete store from a host's functions that load and save rows of its own tables. Holds
 * the rows of a request in memory, so it suits tenants of some 10,000 users, or more if `load` honours
 * `want`.
 */
export function createScanStore<Tx>(options: ScanStoreOptions<Tx>): ScimStore {
  const { maxUsers = 10_000, stamp, onGroupWrite } = options
  const onUserWrite = userHook(options)
  const { keepsDeleted = false, defaultEmail, newId } = options
  const stamped = createSnapshotLoader(({ users }, tenant) =>
    assertCount(users, { tenant, maxUsers }),
  )
  const owner = {}

  const transaction: ScimStore['transaction'] = (tenant, work, { needsVersion = false } = {}) =>
    options.transaction(tenant, async (handle) => {
      const loadRows: LoadRows = (want) => options.load(tenant, handle, want)
      const kept =
        stamp === undefined ? loadRows : stamped(tenant, () => stamp(tenant, handle), loadRows)
      let hasSaved = false
      // A kept load does not have what this transaction has saved.
      const load: LoadRows = (want) => (hasSaved ? loadRows(want) : kept(want))
      const workspace = createWorkspace(tenant, {
        load,
        maxUsers,
        needsVersion,
        ...(defaultEmail !== undefined && { defaultEmail }),
      })
      let isOver = false
      const check = (): void => {
        if (isOver) throw new TypeError('The transaction has ended')
      }
      const save = async (): Promise<void> => {
        const changes = workspace.takeChanges()
        if (changes === null) return
        hasSaved = true
        await options.save(tenant, changes, handle)
      }
      const session = createScanSession(workspace, async (change) => {
        if (onUserWrite === undefined) return
        await save()
        await runHook(owner, () => onUserWrite(change, handle))
      })
      const tx: ScimStore = {
        users: guardedStore(session.users, check),
        groups: guardedStore(session.groups, check),
        members: guardedStore(session.members, check, ['list']),
        transaction: (_tenant, inner) => inner(tx),
        handle,
        writePending: save,
        ...(newId !== undefined && { newId: (kind) => newId(kind, tenant, handle) }),
      }
      try {
        const result = await observed(tx, { work, save })
        await save()
        return result
      } finally {
        isOver = true
      }
    })

  const observed = async <Result>(
    tx: ScimStore,
    {
      work,
      save,
    }: {
      readonly work: (tx: ScimStore) => Promise<Result>
      readonly save: () => Promise<void>
    },
  ): Promise<Result> => {
    if (onGroupWrite === undefined) return work(tx)
    const { store, flush } = observeGroupWrites(tx, async (change) => {
      await save()
      await runHook(owner, () => onGroupWrite(change, tx.handle as Tx))
    })
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
      keepsDeleted,
    },
    { [HOOK_OWNER]: owner },
  )
}
