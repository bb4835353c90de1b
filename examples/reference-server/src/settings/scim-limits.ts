import type { ScimLimits } from '@x/scim-core'
import { readVariable } from './read-settings.ts'
import { scimVariables } from './scim-variables.ts'

/** The variable of each limit of the SCIM core, and its unit (OP-16). */
const LIMITS: Readonly<
  Record<keyof ScimLimits, readonly [name: keyof typeof scimVariables, unit: number]>
> = {
  bodyBytes: ['SCIM_MAX_BODY_KIB', 1024],
  jsonDepth: ['SCIM_MAX_JSON_DEPTH', 1],
  patchOperations: ['SCIM_MAX_PATCH_OPERATIONS', 1],
  patchComparisons: ['SCIM_MAX_PATCH_COMPARISONS', 1],
  resourceLength: ['SCIM_MAX_RESOURCE_LENGTH', 1],
  membersPerRequest: ['SCIM_MAX_MEMBERS_PER_REQUEST', 1],
  valuesPerAttribute: ['SCIM_MAX_VALUES_PER_ATTRIBUTE', 1],
  stringLength: ['SCIM_MAX_STRING_LENGTH', 1],
  filterLength: ['SCIM_MAX_FILTER_LENGTH', 1],
  filterTerms: ['SCIM_MAX_FILTER_TERMS', 1],
  filterDepth: ['SCIM_MAX_FILTER_DEPTH', 1],
  filterComparisons: ['SCIM_MAX_FILTER_COMPARISONS', 1],
  pathLength: ['SCIM_MAX_PATH_LENGTH', 1],
  attributesListed: ['SCIM_MAX_ATTRIBUTES_LISTED', 1],
  bulkOperations: ['SCIM_MAX_BULK_OPERATIONS', 1],
  bulkBytes: ['SCIM_MAX_BULK_KIB', 1024],
  membersPerAnswer: ['SCIM_MAX_MEMBERS_PER_ANSWER', 1],
}

/** @throws SettingsError naming the variable */
export function scimLimits(env: Readonly<Record<string, string | undefined>>): ScimLimits {
  const read = Object.entries(LIMITS).map(([limit, [name, unit]]) => [
    limit,
    Number(readVariable(name, scimVariables[name], env[name])) * unit,
  ])
  return Object.fromEntries(read)
}

/** Number of tenants counted by name in metrics (OP-8). @throws SettingsError naming the variable */
export function metricTenants(env: Readonly<Record<string, string | undefined>>): number {
  const name = 'SCIM_METRICS_TENANTS'
  return Number(readVariable(name, scimVariables[name], env[name]))
}
