import { errors, SignJWT } from 'jose'
import { readUuid, type Runtime } from '@x/wire'
import { verifyWithAny } from './verify-with-any.ts'

/** The claims of a refresh token. */
export interface RefreshClaims {
  readonly userId: string
  readonly tokenId: string
  readonly familyId: string
}

/** Why an access token is rejected, in the words of the API. */
export type TokenProblem =
  | 'Could not validate credentials'
  | 'Token is invalid.'
  | 'Invalid token details.'

/** The claims of an access token. */
export interface AccessClaims {
  readonly userId: string
  /** The user's token epoch when the token was issued. */
  readonly epoch: number
  /** The sign-in it belongs to; null for Auto Login tokens. */
  readonly signInId: string | null
}

/** Signs and verifies tokens. */
export interface Tokens {
  access(claims: AccessClaims, lifeSeconds: number): Promise<string>
  refresh(claims: RefreshClaims, expiresAt: Date): Promise<string>
  /** Tokens of an older service, without epoch and sign-in, have `epoch` -1. */
  verifyAccess(token: string): Promise<AccessClaims | { problem: TokenProblem }>
  /** Null unless it is a valid refresh token of this service. */
  verifyRefresh(token: string): Promise<RefreshClaims | null>
}

/** Maximum number of tokens whose verification is cached. */
const MAX_CACHED_TOKENS = 1000

/**
 * Tokens signed with the first of the secret keys and verified with each: HS256 only, `exp` required, no leeway.
 */
export function createTokens(secretKeys: readonly Uint8Array[], runtime: Runtime): Tokens {
  const [key = new Uint8Array()] = secretKeys
  const sign = (
    claims: Record<string, string | number | boolean>,
    subject: string,
    expires: Date,
  ): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(subject)
      .setIssuedAt(seconds(runtime.now()))
      .setExpirationTime(seconds(expires))
      .sign(key)
  /** A verified signature stays valid; expiry is checked on every use. */
  const verified = new Map<string, Record<string, unknown> & { readonly exp?: number }>()
  const verify = async (token: string): Promise<Record<string, unknown> | null> => {
    const known = verified.get(token)
    if (known !== undefined) return (known.exp ?? 0) > seconds(runtime.now()) ? known : null
    try {
      const payload = await verifyWithAny(token, secretKeys, {
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
        currentDate: runtime.now(),
      })
      if (verified.size >= MAX_CACHED_TOKENS) verified.clear()
      verified.set(token, payload)
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null
      throw error
    }
  }

  return {
    access: ({ userId, epoch, signInId }, lifeSeconds) =>
      sign(
        {
          type: 'access',
          jti: runtime.uuid(),
          ep: epoch,
          sid: signInId ?? runtime.uuid(),
          ...(signInId === null ? { auto: true } : {}),
        },
        userId,
        new Date(runtime.now().getTime() + lifeSeconds * 1000),
      ),
    refresh: ({ userId, tokenId, familyId }, expiresAt) =>
      sign({ type: 'refresh', jti: tokenId, sid: familyId }, userId, expiresAt),
    async verifyAccess(token) {
      const claims = await verify(token)
      if (claims === null) return { problem: 'Could not validate credentials' }
      if (claims['type'] !== 'access') return { problem: 'Token is invalid.' }
      const { sub } = claims
      if (sub === undefined || sub === '') return { problem: 'Invalid token details.' }
      const userId = typeof sub === 'string' ? readUuid(sub) : undefined
      if (userId === undefined) return { problem: 'Could not validate credentials' }
      const { ep, sid, auto } = claims
      const signInId = auto !== true && typeof sid === 'string' ? readUuid(sid) : undefined
      return { userId, epoch: typeof ep === 'number' ? ep : -1, signInId: signInId ?? null }
    },
    async verifyRefresh(token) {
      const claims = await verify(token)
      if (claims?.['type'] !== 'refresh') return null
      const { sub, jti, sid } = claims
      if (typeof sub !== 'string' || typeof jti !== 'string' || typeof sid !== 'string') return null
      const [userId, tokenId, familyId] = [readUuid(sub), readUuid(jti), readUuid(sid)]
      if (userId === undefined || tokenId === undefined || familyId === undefined) return null
      return { userId, tokenId, familyId }
    },
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
