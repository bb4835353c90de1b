import { isScimError, type ScimService, type UserResource } from '@x/scim-core'
import type { SqlScimStore } from '@x/store-kysely/scim'
import type { AdminAnswer } from './authorize-superuser.ts'

export const DIRECTORY_PATH = '/api/v1/scim/directory'

/** Maximum number of rows per page. */
const MAX_COUNT = 100
const MAX_START = 1_000_000_000

export interface ScimDirectoryOptions {
  readonly service: ScimService
  readonly store: Pick<SqlScimStore, 'members'>
  /** False if provisioning is disabled; previously provisioned users are still shown. */
  readonly enabled: boolean
  /** The tenants named by tokens in the settings; the first one is the default of the query. */
  readonly tenants: readonly string[]
  /** Returns the superuser, or the response for anyone else. */
  readonly authorize: (request: Request) => Promise<object | Response>
  readonly onError: (error: unknown) => void
}

/** A page of rows that begins at `startIndex` (from 1), and the total. */
interface Page {
  readonly startIndex: number
  readonly count: number
}

/**
 * Provisioned users and groups for superusers, read-only: `/users` and `/groups` below the path, in pages
 * of at most 100. Members of groups are counted, not listed.
 */
export function createScimDirectory({
  service,
  store,
  enabled,
  tenants,
  authorize,
  onError,
}: ScimDirectoryOptions): AdminAnswer {
  const users = async (tenant: string, page: Page): Promise<object> => {
    const attributes = ['userName', 'displayName', 'active']
    const listed = await service.users.list(tenant, { ...page, attributes })
    return { total: listed.totalResults, users: listed.Resources.map(userRow) }
  }
  const groups = async (tenant: string, page: Page): Promise<object> => {
    const attributes = ['displayName']
    const listed = await service.groups.list(tenant, { ...page, attributes })
    const rows = []
    for (const group of listed.Resources) {
      const members = await store.members.count(tenant, group.id)
      rows.push({ id: group.id, displayName: group.displayName, members })
    }
    return { total: listed.totalResults, groups: rows }
  }
  const lists = new Map([
    [`${DIRECTORY_PATH}/users`, users],
    [`${DIRECTORY_PATH}/groups`, groups],
  ])

  return async (request, path) => {
    try {
      const caller = await authorize(request)
      if (caller instanceof Response) return caller
      const list = lists.get(path.replace(/\/$/, ''))
      if (list === undefined) return refusal(404, 'not_found', 'There is no such page.')
      if (request.method !== 'GET')
        return refusal(405, 'method_not_allowed', 'The directory is read here.', { allow: 'GET' })
      const query = new URL(request.url).searchParams
      const tenant = query.get('tenant') ?? tenants[0] ?? ''
      if (!tenants.includes(tenant)) return refusal(404, 'not_found', 'There is no such tenant.')
      const startIndex = wholeNumber(query.get('startIndex'), { of: 1, to: MAX_START })
      const count = wholeNumber(query.get('count'), { of: MAX_COUNT, to: MAX_COUNT })
      if (startIndex === null || count === null)
        return refusal(400, 'invalid', `startIndex begins at 1, count is 1 to ${MAX_COUNT}.`)
      const page = await list(tenant, { startIndex, count })
      return answer(200, { enabled, tenant, tenants, startIndex, ...page })
    } catch (error) {
      if (isScimError(error)) return refusal(error.status, error.code, error.message)
      onError(error)
      return refusal(500, 'internal', 'The directory cannot be read.')
    }
  }
}

const userRow = ({ id, userName, displayName, active }: UserResource) => ({
  id,
  userName,
  displayName: displayName ?? null,
  active: active === true,
})

/** A positive integer; `of` if absent, null for anything else. */
function wholeNumber(
  text: string | null,
  { of, to }: { readonly of: number; readonly to: number },
): number | null {
  if (text === null) return of
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= to ? number : null
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const refusal = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response => answer(status, { error: { code, message } }, headers)
