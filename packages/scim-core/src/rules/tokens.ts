import { createSystemRuntime, encodeBase64Url, type Runtime } from '@x/wire'
import { sha256Hex } from '../base/digest.ts'
import { ScimError } from '../base/errors.ts'
import { createScimEmitter, type EventSource, type ScimEvents } from '../options/events.ts'
import {
  ALL_SCOPES,
  type ScimAuthProblem,
  type ScimPrincipal,
  type ScimScope,
} from '../base/principal.ts'
import type { TokenRecord, TokenStore } from '../store/tokens.ts'

export interface IssueTokenInput {
  readonly tenant: string
  /** Default: all four. */
  readonly scopes?: readonly ScimScope[]
  readonly notBefore?: Date
  readonly expiresAt?: Date
  readonly label?: string
  /** The connection the token belongs to. */
  readonly connectionId?: string
}

/** A new token, returned only once. */
export interface IssuedToken {
  readonly id: string
  readonly token: string
}

/** The public facts of a token. */
export type TokenInfo = Omit<TokenRecord, 'digest'>

/** Bearer tokens with rotation, expiry and scopes, stored as digests. */
export interface ScimTokenService {
  issue(input: IssueTokenInput): Promise<IssuedToken>
  /**
   * Creates a token with the scopes and label of an old one, which expires after the overlap. If the old one
   * expires, the new one gets the same lifetime from now on.
   * @throws ScimError not_found, also for a token of another tenant; conflict for an expired or revoked one
   */
  rotate(tenant: string, id: string, options?: RotateOptions): Promise<IssuedToken>
  /** Revokes a token immediately. @throws ScimError not_found, also for a token of another tenant */
  revoke(tenant: string, id: string): Promise<void>
  list(tenant: string): Promise<TokenInfo[]>
  /** The same, with the reason a known token is refused. */
  check(token: string): Promise<ScimPrincipal | ScimAuthProblem | null>
  /** The principal of a token; null if it is unknown, not yet valid, expired or revoked. */
  authenticate(token: string): Promise<ScimPrincipal | null>
  /** `token.issued`, `token.rotated` and `token.revoked`. */
  readonly events: EventSource<ScimEvents>
}

/** Options for rotating a token. */
export interface RotateOptions {
  /** How long the old token stays valid, in seconds. Default 86,400. */
  readonly overlapSeconds?: number
  /** Expiry of the new token. Default: the old token's lifetime from now; never if it had none. */
  readonly expiresAt?: Date
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
  /** Tokens whose use is being recorded. */
  const recording = new Set<string>()

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
    rights: Pick<
      TokenRecord,
      'tenant' | 'scopes' | 'label' | 'notBefore' | 'expiresAt' | 'connectionId'
    >,
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

  const find = async (tenant: string, id: string): Promise<TokenRecord> => {
    const record = await store.get(id)
    if (record?.tenant !== tenant) throw new ScimError('not_found', 'The token does not exist.')
    return record
  }

  /** Runs after the response, so that tokens still work with a read-only database. */
  const recordUse = (id: string, lastUsedAt: Date): void => {
    if (recording.has(id)) return
    recording.add(id)
    void Promise.resolve()
      .then(() => store.update(id, { lastUsedAt }))
      .catch(onError)
      .finally(() => recording.delete(id))
  }

  const check = async (token: string): Promise<ScimPrincipal | ScimAuthProblem | null> => {
    if (token.trim() === '') return null
    const record = await store.byDigest(sha256Hex(token))
    if (record === null) return null
    const now = runtime.now()
    const problem = problemOf(record, now)
    const { id, tenant, scopes, lastUsedAt, connectionId = null } = record
    if (problem !== null) return { problem, ...(connectionId !== null && { connectionId }) }
    if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= MINUTE) {
      recordUse(id, now)
    }
    return { id, tenant, scopes, kind: 'token', ...(connectionId !== null && { connectionId }) }
  }

  return {
    events: source,

    async issue({ tenant, scopes = ALL_SCOPES, label, notBefore, expiresAt, connectionId }) {
      const issued = await insert({
        tenant,
        scopes: [...scopes],
        label: label ?? null,
        notBefore: notBefore ?? null,
        expiresAt: expiresAt ?? null,
        ...(connectionId !== undefined && { connectionId }),
      })
      announce('token.issued', { id: issued.id, tenant })
      return issued
    },

    async rotate(tenant, id, { overlapSeconds = DAY_SECONDS, expiresAt: wanted } = {}) {
      const old = await find(tenant, id)
      const now = runtime.now()
      assertRotatable(old, now)
      const issued = await insert({
        ...old,
        notBefore: null,
        expiresAt: wanted ?? sameLifeFrom(now, old),
      })
      const end = new Date(now.getTime() + overlapSeconds * 1_000)
      const expiresAt = old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end
      await store.update(id, { expiresAt })
      announce('token.rotated', old)
      return issued
    },

    async revoke(tenant, id) {
      const record = await find(tenant, id)
      if (record.revokedAt !== null) return
      await store.update(id, { revokedAt: runtime.now() })
      announce('token.revoked', record)
    },

    list: async (tenant) => (await store.list(tenant)).map(withoutDigest),

    async authenticate(token) {
      const found = await check(token)
      return found === null || 'problem' in found ? null : found
    },

    check,
  }
}

/** @throws ScimError conflict */
function assertRotatable({ revokedAt, expiresAt }: TokenRecord, now: Date): void {
  if (revokedAt !== null) throw new ScimError('conflict', 'The token has been revoked.')
  if (expiresAt !== null && expiresAt <= now) {
    throw new ScimError('conflict', 'The token has expired.')
  }
}

/** The lifetime of a token, counted from when it becomes valid. */
function sameLifeFrom(
  now: Date,
  { created, notBefore, expiresAt }: Pick<TokenRecord, 'created' | 'notBefore' | 'expiresAt'>,
): Date | null {
  if (expiresAt === null) return null
  const begin = Math.max(created.getTime(), notBefore?.getTime() ?? 0)
  return new Date(now.getTime() + expiresAt.getTime() - begin)
}

function withoutDigest(record: TokenRecord): TokenInfo {
  const { digest: _digest, ...info } = record
  return info
}

function problemOf(
  { notBefore, expiresAt, revokedAt }: TokenRecord,
  now: Date,
): ScimAuthProblem['problem'] | null {
  if (revokedAt !== null) return 'revoked'
  if (notBefore !== null && now < notBefore) return 'invalid'
  return expiresAt === null || now < expiresAt ? null : 'expired'
}
