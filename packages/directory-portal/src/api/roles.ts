import { isObject } from '@x/wire'
import { invalid, missingPage } from '../http/portal-error.ts'
import { readString, readWord } from '../http/read-values.ts'
import type { RoleMapping, RoleState } from '../roles/role-mapping.ts'
import type { RoleRule } from '../store/role-store.ts'
import { route, type ApiCall, type ApiRoute } from './call.ts'

const MAX_RULES = 500

export const roleRoutes: readonly ApiRoute[] = [
  route('GET', '/roles', async (call) => {
    const roles = rolesOf(call)
    return [200, await shown(call, await roles.read(call.caller.tenant))]
  }),
  route('PUT', '/roles', async (call) => {
    const { tenant } = call.caller
    const roles = rolesOf(call)
    const body = await call.body()
    const values = roles.roles.map(({ value }) => value)
    const wanted = {
      rules: await readRules(call, body['rules'], values),
      default: readWord('default', body['default'], values) ?? null,
    }
    if (body['dryRun'] !== undefined && typeof body['dryRun'] !== 'boolean')
      throw invalid('dryRun must be true or false.')
    const found = await roles.preview(tenant, wanted)
    const names = await namesOf(
      call,
      found.sample.map(({ userId }) => userId),
    )
    const sample = found.sample.map((one) => ({ ...one, userName: names.get(one.userId) ?? null }))
    const changes = { total: found.total, sample }
    if (body['dryRun'] === true) return [200, { changes }]
    const state = await roles.replace(tenant, wanted)
    await call.act('roles.replaced', null)
    return [200, { ...(await shown(call, state)), changes }]
  }),
]

export function rolesOf({ parts }: ApiCall): RoleMapping {
  if (parts.roles === undefined) throw missingPage()
  return parts.roles
}

async function shown(call: ApiCall, { rules, default: usual, applying }: RoleState) {
  const mapping = rolesOf(call)
  const ids = rules.map(({ groupId }) => groupId)
  const names = await mapping.groups(call.caller.tenant, ids)
  return {
    roles: mapping.roles.map(({ value, name = value, description = '' }) => ({
      value,
      name,
      description,
    })),
    rules: rules.map((rule) => ({ ...rule, displayName: names.get(rule.groupId) ?? null })),
    default: usual,
    ...(applying !== null && { applying }),
  }
}

async function namesOf({ parts, caller }: ApiCall, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const filter = ids.map((id) => `id eq ${JSON.stringify(id)}`).join(' or ')
  const { Resources } = await parts.service.users.list(caller.tenant, {
    filter,
    attributes: ['userName'],
  })
  return new Map(Resources.map(({ id, userName }) => [id, userName]))
}

/** @throws PortalError invalid */
async function readRules(
  call: ApiCall,
  given: unknown,
  values: readonly string[],
): Promise<readonly RoleRule[]> {
  if (!Array.isArray(given) || given.length > MAX_RULES)
    throw invalid(`rules must be a list of at most ${MAX_RULES}.`)
  const rules = new Map<string, RoleRule>()
  for (const one of given as readonly unknown[]) {
    const { groupId, role }: Readonly<Record<string, unknown>> = isObject(one) ? one : {}
    const rule = {
      groupId: readString('groupId', groupId) ?? '',
      role: readWord('role', role, values) ?? '',
    }
    if (rule.groupId === '' || rule.role === '') throw invalid('A rule has a groupId and a role.')
    rules.set(JSON.stringify(rule), rule)
  }
  const all = [...rules.values()]
  const known = await rolesOf(call).groups(
    call.caller.tenant,
    all.map(({ groupId }) => groupId),
  )
  const unknown = all.find(({ groupId }) => !known.has(groupId))
  if (unknown !== undefined) throw invalid(`The group ${unknown.groupId} does not exist.`)
  return all
}
