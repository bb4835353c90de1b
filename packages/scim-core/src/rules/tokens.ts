import { createSystemRuntime, type Runtime } from '@x/wire'
import { encodeBase64Url } from '../base64url.ts'
import { sha256Hex } from '../digest.ts'
import { ScimError } from '../errors.ts'
import { createScimEmitter, type EventSource, type ScimEvents } from '../events.ts'
import { ALL_SCOPES, type ScimPrincipal } from '../principal.ts'
import type { ScimScope, TokenRecord, TokenStore } from '../store/tokens.ts'

export interface IssueTokenInput {
  readonly tenant: string
  /** All four by default. */
  readonly scopes?: readonly ScimScope[]
  readonly notBefore?: Date
  readonly expiresAt?: Date
  readonly label?: string
}

/** A token as it is shown, once. */
export interface IssuedToken {
  readonly id: string
  readonly token: string
}

/** What can be told about a token without knowing it. */
export type TokenInfo = Omit<TokenRecord, 'digest'>

/** Bearer tokens with rotation, expiry and scopes, kept as digests only (SC-69). */
export interface ScimTokenService {
  issue(input: IssueTokenInput): Promise<IssuedToken>
  /**
   * A new token with the rights of an old one, which ends after the overlap (86400 seconds by
   * default).
   * @throws ScimError not_found
   */
  rotate(id: string, options?: { readonly overlapSeconds?: number }): Promise<IssuedToken>
  /** Ends a token at once. @throws ScimError not_found */
  revoke(id: string): Promise<void>
  list(tenant: string): Promise<TokenInfo[]>
  /** Whose token this is; null when it is unknown, not yet valid, expired or revoked. */
  authenticate(token: string): Promise<ScimPrincipal | null>
  /** `token.issued`, `token.rotated` and `token.revoked`. */
  readonly events: EventSource<ScimEvents>
}

export interface ScimTokensOptions {
  readonly store: TokenStore
  readonly runtime?: Runtime
  readonly onError?: (error: unknown) => void
}

const MINUTE = 60_000
const DAY_SECONDS = 86_400

export function createScimTokens({
  store,
  runtime = createSystemRuntime(),
  onError = () => undefined,
}: ScimTokensOptions): ScimTokenService {
  const { source, emit } = createScimEmitter(onError)

  const announce = (
    name: 'token.issued' | 'token.rotated' | 'token.revoked',
    { id, tenant }: Pick<TokenRecord, 'id' | 'tenant'>,
  ): void =>
    emit(name, {
      at: runtime.now().toISOString(),
      tenant,
      requestId: runtime.uuid(),
      actor: null,
      id,
      tokenId: id,
    })

  const insert = async (
    rights: Pick<TokenRecord, 'tenant' | 'scopes' | 'label' | 'notBefore' | 'expiresAt'>,
  ): Promise<IssuedToken> => {
    const id = runtime.uuid()
    const token = `scim_${encodeBase64Url(runtime.randomBytes(32))}`
    await store.insert({
      ...rights,
      id,
      digest: sha256Hex(token),
      created: runtime.now(),
      revokedAt: null,
      lastUsedAt: null,
    })
    return { id, token }
  }

  const find = async (id: string): Promise<TokenRecord> => {
    const record = await store.get(id)
    if (record === null) throw new ScimError('not_found', 'The token does not exist.')
    return record
  }

  return {
    events: source,

    async issue({ tenant, scopes = ALL_SCOPES, label, notBefore, expiresAt }) {
      const issued = await insert({
        tenant,
        scopes: [...scopes],
        label: label ?? null,
        notBefore: notBefore ?? null,
        expiresAt: expiresAt ?? null,
      })
      announce('token.issued', { id: issued.id, tenant })
      return issued
    },

    async rotate(id, { overlapSeconds = DAY_SECONDS } = {}) {
      const old = await find(id)
      const issued = await insert({ ...old, notBefore: null, expiresAt: null })
      const end = new Date(runtime.now().getTime() + overlapSeconds * 1_000)
      const expiresAt = old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end
      await store.update(id, { expiresAt })
      announce('token.rotated', old)
      return issued
    },

    async revoke(id) {
      const record = await find(id)
      if (record.revokedAt !== null) return
      await store.update(id, { revokedAt: runtime.now() })
      announce('token.revoked', record)
    },

    list: async (tenant) => (await store.list(tenant)).map(withoutDigest),

    async authenticate(token) {
      if (token.trim() === '') return null
      const record = await store.byDigest(sha256Hex(token))
      const now = runtime.now()
      if (record === null || !isValid(record, now)) return null
      const { id, tenant, scopes, lastUsedAt } = record
      if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= MINUTE) {
        await store.update(id, { lastUsedAt: now })
      }
      return { id, tenant, scopes, kind: 'token' }
    },
  }
}

function withoutDigest(record: TokenRecord): TokenInfo {
  const { id, tenant, scopes, label, created, notBefore, expiresAt, revokedAt, lastUsedAt } = record
  return { id, tenant, scopes, label, created, notBefore, expiresAt, revokedAt, lastUsedAt }
}

function isValid({ notBefore, expiresAt, revokedAt }: TokenRecord, now: Date): boolean {
  if (revokedAt !== null) return false
  if (notBefore !== null && now < notBefore) return false
  return expiresAt === null || now < expiresAt
}
