import { createSystemRuntime, createTokenBuckets, encodeBase64Url, type Runtime } from '@x/wire'
import { invalid, missing, PortalError } from '../http/portal-error.ts'
import type { DomainRecord, PortalStore } from '../store/portal-store.ts'
import { domainName, domainOfEmail } from './domain-name.ts'
import { systemTxt, withinSeconds, type ResolveTxt } from './resolve-txt.ts'

export interface DomainsOptions {
  readonly store: PortalStore
  /** Default: `node:dns` of the runtime. */
  readonly resolveTxt?: ResolveTxt
  readonly runtime?: Runtime
}

/** A domain that a tenant says is its own. */
export interface DomainInfo {
  readonly domain: string
  /** Name of the TXT record that proves it. */
  readonly txtName: string
  readonly txtValue: string
  readonly state: 'pending' | 'verified' | 'lapsed'
  /** RFC 3339. */
  readonly verifiedAt: string | null
}

/** The domains of tenants; at most 20 of each. */
export interface Domains {
  list(tenant: string): Promise<readonly DomainInfo[]>
  /** The record of a domain stays the same, also after it was removed. @throws PortalError */
  add(tenant: string, domain: unknown): Promise<DomainInfo>
  /** @throws PortalError not_found, different, dns_failed, taken, too_many_requests */
  verify(tenant: string, domain: string): Promise<DomainInfo>
  /** @throws PortalError not_found */
  remove(tenant: string, domain: string): Promise<void>
  /** The tenant for whom the domain of an address is verified; subdomains do not count. */
  tenantOf(email: string): Promise<string | null>
  /** Looks verified domains up again, each once a day; one that fails for three days lapses. */
  recheck(signal?: AbortSignal): Promise<void>
}

const MAX_DOMAINS = 20
const PREFIX = 'directory-portal='
const VERIFY_LIMIT = { perSecond: 10 / 60, burst: 10 }
const LOOKUP_SECONDS = 5
const DAY_MS = 86_400_000
const LAPSE = { failures: 3, ms: 3 * DAY_MS }
const FOUND_LENGTH = 200
const RECHECKED = 1_000

/** Keeps domains and proves them by DNS. */
export function createDomains({
  store,
  resolveTxt = systemTxt,
  runtime = createSystemRuntime(),
}: DomainsOptions): Domains {
  const { domains } = store
  const buckets = createTokenBuckets(10_000)

  const existing = async (tenant: string, domain: string): Promise<DomainRecord> => {
    const name = domainName(domain)
    const record = name === null ? null : await domains.get(tenant, name)
    if (record === null || record.removed) throw missing('The domain')
    return record
  }
  /** @throws PortalError not_found, different, dns_failed */
  const prove = async ({ domain, value }: DomainRecord): Promise<void> => {
    const found = await lookUp(domain)
    const texts = found.map((strings) => strings.join(''))
    if (texts.includes(PREFIX + value)) return
    const [other] = texts.filter((text) => text.startsWith(PREFIX))
    if (texts.length === 0) throw refused('not_found', `${txtName(domain)} has no TXT record.`)
    const shown = (other ?? texts[0] ?? '').slice(0, FOUND_LENGTH)
    throw refused('different', `${txtName(domain)} has another TXT record: ${shown}`)
  }
  const lookUp = async (domain: string) => {
    try {
      return await withinSeconds(resolveTxt(txtName(domain)), LOOKUP_SECONDS)
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw refused('dns_failed', 'The record could not be looked up. Try again.')
    }
  }

  return {
    list: async (tenant) => (await domains.list(tenant)).map(domainInfo),
    async add(tenant, given) {
      const domain = domainName(given)
      if (domain === null) throw invalid('domain must be a domain such as corp.example.')
      const value = encodeBase64Url(runtime.randomBytes(32))
      const added = await domains.add({ tenant, domain, value, at: runtime.now() }, MAX_DOMAINS)
      if (added !== null) return domainInfo(added)
      throw new PortalError(409, 'conflict', `A tenant can have at most ${MAX_DOMAINS} domains.`)
    },
    async verify(tenant, domain) {
      const record = await existing(tenant, domain)
      if (!buckets.take(tenant, VERIFY_LIMIT, runtime.now().getTime()).allowed)
        throw new PortalError(429, 'too_many_requests', 'Try again in a minute.', {
          'retry-after': '60',
        })
      await prove(record)
      const at = runtime.now()
      if (!(await domains.hold(tenant, record.domain, at)))
        throw refused('taken', 'The domain is verified for another customer.')
      return domainInfo({ ...record, state: 'verified', verifiedAt: at })
    },
    async remove(tenant, domain) {
      const record = await existing(tenant, domain)
      await domains.remove(tenant, record.domain)
    },
    async tenantOf(email) {
      const domain = domainOfEmail(email)
      return domain === null ? null : domains.holder(domain)
    },
    async recheck(signal) {
      const now = runtime.now()
      const due = await domains.due(new Date(now.getTime() - DAY_MS), RECHECKED)
      for (const record of due) {
        signal?.throwIfAborted()
        const { tenant, domain, failures, failedSince } = record
        try {
          await prove(record)
          await domains.checked(tenant, domain, { at: now, failures: 0, failedSince: null })
        } catch (error) {
          if (!(error instanceof PortalError)) throw error
          const since = failedSince ?? now
          const isOver =
            failures + 1 >= LAPSE.failures && now.getTime() - since.getTime() >= LAPSE.ms
          const checked = { at: now, failures: failures + 1, failedSince: since }
          await domains.checked(tenant, domain, checked)
          if (isOver) await domains.lapse(tenant, domain)
        }
      }
    },
  }
}

const txtName = (domain: string): string => `_directory-portal.${domain}`

const refused = (code: string, message: string): PortalError => new PortalError(409, code, message)

function domainInfo({ domain, value, state, verifiedAt }: DomainRecord): DomainInfo {
  return {
    domain,
    txtName: txtName(domain),
    txtValue: PREFIX + value,
    state,
    verifiedAt: verifiedAt?.toISOString() ?? null,
  }
}
