import { isScimError, type ScimResources, type UserResource } from '@x/scim-core'
import { invalid } from '../http/portal-error.ts'
import { nextOf, readLimit, readNext, readString, readWord } from '../http/read-values.ts'
import { route, type ApiCall, type ApiRoute } from './call.ts'

/** Up to here a search finds parts of names, and the total is exact. */
const SMALL = 10_000
const MAX_GROUPS = 20
/** Each of them has an index; a display name usually begins with the given name. */
const USER_NAMES = ['userName', 'displayName', 'name.familyName']

export const peopleRoutes: readonly ApiRoute[] = [
  route('GET', '/users', async (call) => {
    const { parts, caller, query } = call
    const state = readWord('state', query.get('state'), ['in', 'out', 'all']) ?? 'all'
    const page = await pageOf(call, parts.service.users, {
      names: USER_NAMES,
      attributes: ['userName', 'displayName', 'active', 'groups', 'meta.lastModified'],
      more: STATES[state],
    })
    const ids = page.rows.map(({ id }) => id)
    const roles = await parts.store.roles.told(caller.tenant, ids)
    const users = page.rows.map((user) => userRow(user, roles.get(user.id) ?? []))
    return [200, { users, total: page.total, next: page.next }]
  }),
  route('GET', '/groups', async (call) => {
    const { parts, caller } = call
    const { groups } = parts.service
    const page = await pageOf(call, groups, { names: ['displayName'], attributes: ['displayName'] })
    const rules = (await parts.roles?.read(caller.tenant))?.rules ?? []
    const rows = []
    for (const { id, displayName } of page.rows) {
      const members = exact(await groups.countMembers(caller.tenant, id, SMALL + 1))
      const role = rules.find(({ groupId }) => groupId === id)?.role ?? null
      rows.push({ id, displayName, members, role })
    }
    return [200, { groups: rows, total: page.total, next: page.next }]
  }),
]

/** Counting ends where it would take long. */
const exact = (total: number): number | null => (total > SMALL ? null : total)

const STATES = { all: [], in: ['active eq true'], out: ['active ne true'] }

/** A page of a list, searched by parts of names, or in a big directory by their beginnings. */
async function pageOf<Row>(
  { caller: { tenant }, query }: ApiCall,
  { list }: Pick<ScimResources<Row>, 'list'>,
  {
    names,
    attributes,
    more = [],
  }: {
    readonly names: readonly string[]
    readonly attributes: readonly string[]
    readonly more?: readonly string[]
  },
) {
  const search = readString('search', query.get('search') ?? undefined)
  const operator = (await list(tenant, { count: 0 })).totalResults > SMALL ? 'sw' : 'co'
  const found = names.map((name) => `${name} ${operator} ${JSON.stringify(search)}`).join(' or ')
  const filter = [...more, ...(search === undefined ? [] : [`(${found})`])].join(' and ')
  const after = readNext(query)
  try {
    const page = await list(tenant, {
      count: readLimit(query),
      attributes,
      countUpTo: SMALL,
      ...(after !== undefined && { after }),
      ...(filter !== '' && { filter }),
    })
    return { rows: page.Resources, total: exact(page.totalResults), next: nextOf(page.next) }
  } catch (error) {
    // A search that no filter can hold is a wrong search.
    if (isScimError(error) && error.status === 400) throw invalid('search or after cannot be used.')
    throw error
  }
}

function userRow(user: UserResource, roles: readonly string[]): object {
  const { id, userName, displayName, active, meta, groups } = user
  const names = Array.isArray(groups) ? (groups as readonly { readonly display?: string }[]) : []
  return {
    id,
    userName,
    displayName: displayName ?? null,
    state: active === true ? 'active' : 'inactive',
    since: meta?.lastModified ?? null,
    groups: names.slice(0, MAX_GROUPS).map(({ display }) => display ?? ''),
    roles,
  }
}
