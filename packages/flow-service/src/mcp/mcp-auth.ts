import { constantTimeEqual } from '@x/wire'
import type { HostContext } from '../options.ts'

/** An authenticated caller. */
export interface McpUser {
  /** The user that calls are counted for and runs belong to. */
  readonly userId: string
}

/** Identifies the caller. Return null for missing credentials, or a Response to send it. */
export type McpAuthenticate = (
  request: Request,
  context: HostContext,
) => McpUser | null | Response | Promise<McpUser | null | Response>

/** The callers a server accepts. */
export type McpAuth =
  /**
   * Callers with one of these tokens, sent as `Authorization: Bearer` or `x-api-key`; at least 16 characters.
   */
  | { readonly kind: 'token'; readonly token: string | readonly string[] }
  /** Any client that can reach the server. */
  | { readonly kind: 'none' }
  | McpAuthenticate

const MIN_TOKEN_LENGTH = 16
const ANONYMOUS: McpUser = { userId: '' }

/** @throws TypeError if there is no token or one is too short */
export function readAuth(auth: unknown): McpAuthenticate {
  if (typeof auth === 'function') return auth as McpAuthenticate
  if (typeof auth === 'object' && auth !== null && 'kind' in auth) {
    if (auth.kind === 'none') return () => ANONYMOUS
    if (auth.kind === 'token' && 'token' in auth) return byToken(auth.token)
  }
  throw new TypeError(
    "createMcpHandler needs auth: { kind: 'token', token }, { kind: 'none' } or a function",
  )
}

function byToken(given: unknown): McpAuthenticate {
  const tokens: unknown[] = Array.isArray(given) ? given : [given]
  const isToken = (token: unknown): token is string =>
    typeof token === 'string' && token.length >= MIN_TOKEN_LENGTH
  if (tokens.length === 0 || !tokens.every(isToken))
    throw new TypeError(`auth.token must have at least ${MIN_TOKEN_LENGTH} characters`)
  const known = Promise.all(tokens.map(digest))
  return async ({ headers }) => {
    const token = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    const sent = token ?? headers.get('x-api-key')
    if (sent === null) return null
    const sum = await digest(sent)
    // Every token is compared, and digests have equal length, so timing reveals nothing.
    const found = (await known).map((one) => constantTimeEqual(one, sum))
    const index = found.indexOf(true)
    return index < 0 ? null : { userId: `token-${index}` }
  }
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
