import { createScimService, type ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createTestRuntime } from '@x/scim-core/testing'
import { expect, test } from 'vitest'
import { BASE, idOf, request, TOKEN } from './scim-handler.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const USERS = 40
const GROUPS = 60

/** A service with users who have managers, and groups of users and of groups; the same ids each time. */
async function serve(store: ScimStore) {
  const { handle } = createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    runtime: createTestRuntime(),
    nestedGroups: true,
    maxPageSize: 500,
  })
  const users: string[] = []
  for (let n = 0; n < USERS; n += 1) {
    const manager = users[n - 1]
    const body = {
      userName: `u${n}@corp.example`,
      displayName: `Name ${n % 7}`,
      externalId: `x${n % 5}`,
      ...(manager !== undefined && { [ENTERPRISE]: { manager: { value: manager } } }),
    }
    users.push(await idOf(await handle(request('POST', '/Users', body))))
  }
  const groups: string[] = []
  for (let n = 0; n < GROUPS; n += 1) {
    const ids = [...users.slice(n % 7, (n % 7) + 3), ...groups.slice(-1)]
    const members = n % 5 === 0 ? [] : ids.map((value) => ({ value }))
    const body = { displayName: `Name ${n}`, externalId: `x${n % 5}`, members }
    groups.push(await idOf(await handle(request('POST', '/Groups', body))))
  }
  return handle
}

const SEARCHES: readonly Record<string, unknown>[] = [
  { sortBy: 'displayName', count: 500 },
  { sortBy: 'displayName', sortOrder: 'descending', startIndex: 20, count: 60 },
  { sortBy: 'userName', filter: 'externalId eq "x1"', count: 500 },
  { sortBy: 'id', filter: 'displayName co "name" and externalId co "x"', count: 500 },
  { sortBy: 'members.display', count: 500 },
  { sortBy: 'groups.display', sortOrder: 'descending', count: 500 },
  { sortBy: `${ENTERPRISE}:manager.displayName`, count: 500 },
  { sortBy: 'meta.lastModified', attributes: ['members.value', 'groups.value'], count: 500 },
  { sortBy: 'displayName', startIndex: 500, count: 9 },
  { sortBy: 'displayName', filter: 'displayName eq "nobody"' },
]

/** Tests that a sorted search over all types asks a store few times, and gives what memory gives. */
export function testRootSearch(
  name: string,
  open: () => Promise<{ readonly store: ScimStore; readonly asked: () => number }>,
): void {
  test(`SH-77 a sorted root search takes at most 6 queries a page, whatever its size: ${name}`, async () => {
    const { store, asked } = await open()
    const handle = await serve(store)
    const model = await serve(createMemoryScimStore())
    for (const wanted of SEARCHES) {
      const search = { schemas: [SEARCH], ...wanted }
      const before = asked()
      const answer = await handle(request('POST', '/.search', search))
      const text = await answer.text()
      const queries = asked() - before
      const expected = await (await model(request('POST', '/.search', search))).json()
      const body: unknown = JSON.parse(text)
      expect({ search, status: answer.status, body }).toEqual({
        search,
        status: 200,
        body: expected,
      })
      expect({ search, isFew: queries <= 6 }).toEqual({ search, isFew: true })
    }
  })
}
