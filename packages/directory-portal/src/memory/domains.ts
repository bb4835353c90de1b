import type { DomainRecord, PortalStore } from '../store/portal-store.ts'

/** The domains of a store in memory. */
export function createMemoryDomains(): PortalStore['domains'] {
  const records = new Map<string, DomainRecord>()
  const holders = new Map<string, string>()
  const keyOf = (tenant: string, domain: string): string => `${domain} ${tenant}`
  const change = (tenant: string, domain: string, patch: Partial<DomainRecord>): void => {
    const record = records.get(keyOf(tenant, domain))
    if (record !== undefined) records.set(keyOf(tenant, domain), { ...record, ...patch })
  }
  const release = (tenant: string, domain: string): void => {
    if (holders.get(domain) === tenant) holders.delete(domain)
  }
  const list = (tenant: string): DomainRecord[] =>
    [...records.values()]
      .filter((record) => record.tenant === tenant && !record.removed)
      .toSorted((a, b) => (a.domain < b.domain ? -1 : 1))
  return {
    add({ tenant, domain, value }, limit) {
      const known = records.get(keyOf(tenant, domain))
      if (known?.removed === false) return known
      if (list(tenant).length >= limit) return null
      const record: DomainRecord = {
        tenant,
        domain,
        value: known?.value ?? value,
        state: 'pending',
        verifiedAt: null,
        checkedAt: null,
        failures: 0,
        failedSince: null,
        removed: false,
      }
      records.set(keyOf(tenant, domain), record)
      return record
    },
    get: (tenant, domain) => records.get(keyOf(tenant, domain)) ?? null,
    list,
    hold(tenant, domain, at) {
      const holder = holders.get(domain) ?? tenant
      if (holder !== tenant) return false
      holders.set(domain, tenant)
      const verified = { state: 'verified', verifiedAt: at, checkedAt: at } as const
      change(tenant, domain, { ...verified, failures: 0, failedSince: null })
      return true
    },
    holder: (domain) => holders.get(domain) ?? null,
    lapse(tenant, domain) {
      release(tenant, domain)
      change(tenant, domain, { state: 'lapsed' })
    },
    remove(tenant, domain) {
      release(tenant, domain)
      change(tenant, domain, { state: 'pending', verifiedAt: null, removed: true })
    },
    due: (before, limit) =>
      [...records.values()]
        .filter(({ state, removed, checkedAt }) => {
          const isOld = checkedAt === null || checkedAt < before
          return state === 'verified' && !removed && isOld
        })
        .toSorted((a, b) => (a.checkedAt?.getTime() ?? 0) - (b.checkedAt?.getTime() ?? 0))
        .slice(0, limit),
    checked: (tenant, domain, { at, ...check }) =>
      change(tenant, domain, { ...check, checkedAt: at }),
  }
}
