import type { ScimStore } from '../store/scim-store.ts'
import { activitySpec } from './activity-spec.ts'
import { concurrencySpec, transactionSpec } from './concurrency-spec.ts'
import { filterSpec } from './filter-spec.ts'
import type { ScimStoreSubject, TestFunctions } from './fixture.ts'
import { groupsSpec } from './groups-spec.ts'
import { membersSpec } from './members-spec.ts'
import { pagingSpec } from './paging-spec.ts'
import { usersSpec } from './users-spec.ts'

/**
 * Defines the tests of a SCIM store for any runner with describe, it, beforeEach and afterEach.
 * Assertions use `node:assert/strict`.
 */
export function defineScimStoreContract(t: TestFunctions, subject: ScimStoreSubject): void {
  const { name, create, destroy, concurrent = true } = subject
  t.describe(`the contract of SCIM stores: ${name}`, () => {
    let current: ScimStore | undefined
    t.beforeEach(async () => {
      current = await create()
    })
    t.afterEach(async () => {
      if (current !== undefined) await destroy?.(current)
      current = undefined
    })
    const store = (): ScimStore => {
      if (current === undefined) throw new Error('The store exists only inside of tests')
      return current
    }
    const specs = [
      activitySpec,
      usersSpec,
      groupsSpec,
      membersSpec,
      pagingSpec,
      filterSpec,
      transactionSpec,
    ]
    for (const spec of concurrent ? [...specs, concurrencySpec] : specs) spec(t, store)
  })
}
