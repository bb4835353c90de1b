import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScanStore, type ScanChanges } from '@x/scim-core/scan'
import {
  defineStoreHookContract,
  type HookRows,
  type StoreHooks,
  type StoreHookSubject,
} from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { createArrayHost } from './scan-host.ts'

const frame = { describe, it, beforeEach, afterEach }

const LISTED = { limit: 10_000, withTotal: false }

defineStoreHookContract<ScimStore>(frame, {
  name: 'SF-38 memory',
  create: async (hooks) => ({
    store: createMemoryScimStore(hooks),
    async rows({ users, groups, members }) {
      const teams = (await groups.list('acme', LISTED)).records
      const found = []
      for (const { id: groupId } of teams)
        for await (const { id: memberId } of members.list('acme', groupId, LISTED))
          found.push({ groupId, memberId })
      return { users: (await users.list('acme', LISTED)).records, groups: teams, members: found }
    },
  }),
})

type Handle = { readonly name: 'transaction' }

/** Tables of a host; `late` writes them when the transaction ends, after its hooks. */
function arrays(name: string, isLate = false): StoreHookSubject<Handle> {
  return {
    name,
    async create(hooks: StoreHooks<Handle>) {
      const host = createArrayHost({ honoursWant: false })
      const waiting: (readonly [string, ScanChanges])[] = []
      const store = createScanStore({
        ...host,
        ...hooks,
        keepsDeleted: true,
        transaction: (tenant, work) =>
          host.transaction(tenant, async (tx) => {
            const result = await work(tx)
            for (const [org, changes] of waiting.splice(0)) await host.save(org, changes, tx)
            return result
          }),
        async save(org, changes, tx) {
          if (isLate) waiting.push([org, changes])
          else await host.save(org, changes, tx)
        },
      })
      const rows = async (): Promise<HookRows> => {
        const { users, groups, members } = host.rowsOf('acme')
        return {
          users: users
            .filter(({ deletedAt }) => deletedAt == null)
            .map(({ id, active = true }) => ({ id, active })),
          groups: groups.map(({ id, displayName }) => ({ id, displayName })),
          members: members.map(({ groupId, memberId }) => ({ groupId, memberId })),
        }
      }
      return { store, rows }
    },
  }
}

defineStoreHookContract(frame, arrays('SF-38 tables of a host'))

test('SF-38 a store that tells before it writes fails, wherever rows count', async () => {
  const tests: { readonly name: string; readonly run: () => unknown }[] = []
  let after: () => unknown = () => undefined
  defineStoreHookContract(
    {
      describe: (_name, define) => define(),
      it: (name, run) => tests.push({ name, run }),
      beforeEach: () => undefined,
      afterEach: (run) => (after = run),
    },
    arrays('late', true),
  )
  expect(tests.length).toBeGreaterThanOrEqual(15)
  const passed: string[] = []
  for (const { name, run } of tests) {
    try {
      await run()
      passed.push(name)
    } catch {
      // It fails, as it must.
    }
    await after()
  }
  expect(passed).toEqual([
    // What these look at is the same before and after, or the next request's.
    'update of a user by PATCH',
    'members who are there already are not told',
    'a refused change of members leaves the members, and the name',
  ])
})
