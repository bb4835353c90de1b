import { isObject } from '@x/wire'
import type { PresentedValue } from '../api/call.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** What most hosts show of a user. */
export function presentUser(user: Readonly<Record<string, unknown>>): readonly PresentedValue[] {
  const enterprise = user[ENTERPRISE]
  const department = isObject(enterprise) ? enterprise['department'] : undefined
  const values: readonly (readonly [label: string, value: unknown])[] = [
    ['userName', user['userName']],
    ['displayName', user['displayName']],
    ['email', primary(user['emails'])],
    ['active', user['active'] === true],
    ['department', department],
    ['groups', displays(user['groups'])],
    ['roles', displays(user['roles'])],
  ]
  return values
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([label, value]) => ({ label, value: String(value) }))
}

const elements = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : []

function primary(value: unknown): unknown {
  const all = elements(value)
  const first = all.find((one) => one['primary'] === true) ?? all[0]
  return first?.['value']
}

const displays = (value: unknown): string =>
  elements(value)
    .map((one) => one['display'] ?? one['value'])
    .filter((display) => typeof display === 'string')
    .join(', ')
