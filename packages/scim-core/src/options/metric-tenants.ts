import { ScimConfigError } from '../base/errors.ts'

const MAX_METRIC_TENANTS = 1000

/** @throws ScimConfigError */
export function readMetricTenants(tenants = 0): number {
  if (Number.isInteger(tenants) && tenants >= 0 && tenants <= MAX_METRIC_TENANTS) return tenants
  throw new ScimConfigError(
    'metricTenants',
    `metricTenants must be an integer from 0 to ${MAX_METRIC_TENANTS}`,
  )
}
