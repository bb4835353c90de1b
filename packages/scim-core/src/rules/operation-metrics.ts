import type { Metrics } from '@x/wire'
import type { Subject } from './audit.ts'
import type { Outcome } from './service.ts'

/**
 * Counts operations by resource type, provider and outcome.
 * @param tenants number of tenants counted by name; 0: no tenant label
 */
export function operationMetrics(
  metrics: Metrics,
  tenants: number,
): (subject: Subject, outcome: Pick<Outcome, 'status' | 'tenant' | 'provider'>) => void {
  const operations = metrics.counter({
    name: 'scim_operations_total',
    help: 'Operations, by resource type, provider of the connection and class of the status.',
    labels: ['operation', 'resource', 'provider', 'status'],
  })
  const byTenant =
    tenants === 0
      ? undefined
      : metrics.counter({
          name: 'scim_tenant_operations_total',
          help: 'Operations, by tenant and class of the status.',
          labels: ['tenant', 'status'],
          // The status classes and `other`, in addition to the tenants.
          maxValues: tenants + 6,
          maxSeries: (tenants + 1) * 5,
        })
  const known = new Set<string>()
  return ({ op: operation, resourceType }, { status: code, tenant, provider = 'other' }) => {
    const resource = resourceType ?? 'none'
    const status = `${Math.floor(code / 100)}xx`
    operations.add({ operation, resource, provider, status })
    if (byTenant === undefined || tenant === null) return
    if (known.size < tenants) known.add(tenant)
    byTenant.add({ tenant: known.has(tenant) ? tenant : 'other', status })
  }
}
