import type { Runtime } from '@x/wire'
import { PortalError } from '../http/portal-error.ts'
import type { LinkRecord, PortalStore } from '../store/portal-store.ts'
import { createSecret, digestOf } from './secrets.ts'

/** Arguments of a new link. */
export interface LinkInput {
  readonly tenant: string
  /** At most 200 characters. */
  readonly tenantName?: string
  /** Who opens the portal, such as an e-mail address; at most 200 characters. */
  readonly actor: string
  /** `view`: changes nothing, and sees neither secrets nor bodies nor addresses. Default `manage`. */
  readonly permission?: 'manage' | 'view'
  /** 30 to 604,800. Default `linkSeconds` of the portal. */
  readonly ttlSeconds?: number
  /** Language of the page. Default: what the browser asks for. */
  readonly language?: string
  /** Where the page leads back to: of the portal's origin or one of `returnUrls`. */
  readonly returnUrl?: string
}

/** A link without its token. */
export type LinkInfo = Omit<LinkRecord, 'digest'>

/** The links of a portal; each opens it once. */
export interface PortalLinks {
  /**
   * The token is in the fragment of `url`, and returned only here.
   * @throws TypeError naming the invalid argument
   */
  create(
    input: LinkInput,
  ): Promise<{ readonly id: string; readonly url: string; readonly expiresAt: Date }>
  list(tenant: string): Promise<readonly LinkInfo[]>
  /** Ends its session too. False if the tenant has no such link. */
  revoke(tenant: string, id: string): Promise<boolean>
}

export interface LinksOptions {
  readonly store: PortalStore
  readonly runtime: Runtime
  /** Address of the page, with a slash at its end. */
  readonly pageUrl: string
  readonly linkSeconds: number
  readonly returnOrigins: ReadonlySet<string>
}

export function createLinks(options: LinksOptions): PortalLinks {
  const { store, runtime, pageUrl, linkSeconds } = options
  return {
    async create(input) {
      const { ttlSeconds = linkSeconds, permission = 'manage' } = input
      if (permission !== 'manage' && permission !== 'view')
        throw new TypeError('permission must be manage or view')
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 30 || ttlSeconds > 604_800)
        throw new TypeError('ttlSeconds must be a whole number from 30 to 604800')
      const token = createSecret('pl', runtime)
      const created = runtime.now()
      const record: LinkRecord = {
        id: runtime.uuid(),
        tenant: readText('tenant', input.tenant),
        digest: await digestOf(token),
        tenantName: readOptional('tenantName', input.tenantName),
        actor: readText('actor', input.actor),
        permission,
        language: readLanguage(input.language),
        returnUrl: readReturnUrl(input.returnUrl, options.returnOrigins),
        created,
        expiresAt: new Date(created.getTime() + ttlSeconds * 1_000),
        usedAt: null,
        revokedAt: null,
      }
      await store.links.insert(record)
      const { id, expiresAt } = record
      return { id, url: `${pageUrl}#open=${token}`, expiresAt }
    },
    async list(tenant) {
      const found = await store.links.list(readText('tenant', tenant))
      return found.map(({ digest: _digest, ...info }) => info)
    },
    revoke: async (tenant, id) => store.links.revoke(tenant, id, runtime.now()),
  }
}

/** Redeems a link. @throws PortalError link_unknown, link_used, link_expired, link_revoked */
export async function redeemLink(
  { store, runtime }: Pick<LinksOptions, 'store' | 'runtime'>,
  token: string,
): Promise<LinkRecord> {
  const digest = await digestOf(token)
  const now = runtime.now()
  if (await store.links.redeem(digest, now)) {
    const link = await store.links.byDigest(digest)
    if (link !== null) return link
  }
  const link = await store.links.byDigest(digest)
  if (link === null) throw new PortalError(401, 'link_unknown', 'The link is not valid.')
  if (link.revokedAt !== null) throw gone('link_revoked', 'The link was revoked.')
  if (link.usedAt !== null) throw gone('link_used', 'The link was used already.')
  throw gone('link_expired', 'The link has expired.')
}

const gone = (code: string, message: string): PortalError => new PortalError(410, code, message)

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 200) return value
  throw new TypeError(`${name} must be a string of 1 to 200 characters`)
}

function readOptional(name: string, value: unknown): string | null {
  return value === undefined || value === null ? null : readText(name, value)
}

function readLanguage(value: unknown): string | null {
  const language = readOptional('language', value)
  if (language === null || /^[a-z]{2,3}(-[\dA-Za-z]{2,8})*$/.test(language)) return language
  throw new TypeError('language must be a language tag such as de')
}

function readReturnUrl(value: unknown, origins: ReadonlySet<string>): string | null {
  if (value === undefined || value === null) return null
  const refused = new TypeError('returnUrl must be an https address of an allowed origin')
  if (typeof value !== 'string' || value.length > 2_048 || !URL.canParse(value)) throw refused
  const { protocol, hostname, origin, href } = new URL(value)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw refused
  if (!origins.has(origin)) throw refused
  return href
}
