import { isScimError, type UserResource } from '@x/scim-core'
import { invalid } from '../http/portal-error.ts'
import { nextOf, readPage, readString, readWord } from '../http/read-values.ts'
import { route, type ApiRoute } from './call.ts'

/** Up to here a search finds parts of names, and the total is exact. */
const SMALL = 10_000

export const peopleRoutes: readonly ApiRoute[] = [
  route('GET', '/users', async ({ parts, caller, query }) => {
    const { limit, after = 1 } = readPage(query)
    const state = readWord('state', query.get('state'), ['in', 'out', 'all']) ?? 'all'
    const search = readString('search', query.get('search') ?? undefined)
    const { users } = parts.service
    const all = (await users.list(caller.tenant, { count: 0 })).totalResults
    const filter = [stateFilter(state), nameFilter(['userName', 'displayName'], search, all)]
      .filter((part) => part !== null)
      .join(' and ')
    const page = await listed(() =>
      users.list(caller.tenant, {
        startIndex: after,
        count: limit,
        attributes: ['userName', 'displayName', 'active', 'groups', 'meta.lastModified'],
        ...(filter !== '' && { filter }),
      }),
    )
    const rows = page.Resources.map(userRow)
    const total = page.totalResults > SMALL ? null : page.totalResults
    const end = after + rows.length
    return [200, { users: rows, total, next: nextOf(end > page.totalResults ? undefined : end) }]
  }),
  route('GET', '/groups', async ({ parts, caller, query }) => {
    const { limit, after = 1 } = readPage(query)
    const search = readString('search', query.get('search') ?? undefined)
    const { groups, users } = parts.service
    const all = (await groups.list(caller.tenant, { count: 0 })).totalResults
    const filter = nameFilter(['displayName'], search, all)
    const page = await listed(() =>
      groups.list(caller.tenant, {
        startIndex: after,
        count: limit,
        attributes: ['displayName'],
        ...(filter !== null && { filter }),
      }),
    )
    const rows = []
    for (const { id, displayName } of page.Resources) {
      const members = await users.list(caller.tenant, {
        filter: `groups.value eq ${JSON.stringify(id)}`,
        count: 0,
      })
      rows.push({ id, displayName, members: members.totalResults, role: null })
    }
    const total = page.totalResults > SMALL ? null : page.totalResults
    const end = after + rows.length
    return [200, { groups: rows, total, next: nextOf(end > page.totalResults ? undefined : end) }]
  }),
]

function stateFilter(state: 'in' | 'out' | 'all'): string | null {
  if (state === 'all') return null
  return state === 'in' ? 'active eq true' : 'not (active eq true)'
}

/** Parts of names in a small directory, their beginnings in a big one. */
function nameFilter(
  names: readonly string[],
  search: string | undefined,
  all: number,
): string | null {
  if (search === undefined) return null
  const operator = all > SMALL ? 'sw' : 'co'
  return `(${names.map((name) => `${name} ${operator} ${JSON.stringify(search)}`).join(' or ')})`
}

/** A search that no filter can hold is a wrong search. */
async function listed<Page>(list: () => Promise<Page>): Promise<Page> {
  try {
    return await list()
  } catch (error) {
    if (isScimError(error) && error.status === 400) throw invalid('search cannot be used.')
    throw error
  }
}

const MAX_GROUPS = 20

function userRow(user: UserResource): object {
  const { id, userName, displayName, active, meta, groups } = user
  const names = Array.isArray(groups) ? (groups as readonly { readonly display?: string }[]) : []
  return {
    id,
    userName,
    displayName: displayName ?? null,
    state: active === true ? 'active' : 'inactive',
    since: meta?.lastModified ?? null,
    groups: names.slice(0, MAX_GROUPS).map(({ display }) => display ?? ''),
    roles: [],
  }
}
