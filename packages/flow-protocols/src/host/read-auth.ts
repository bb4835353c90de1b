import { constantTimeEqual } from '@x/wire'
import type { DoorAuth, DoorAuthenticate } from './door-options.ts'

const MIN_TOKEN_LENGTH = 16
const ANYONE = { userId: 'anyone' }

/** @throws TypeError if there is no token or one is too short */
export function readAuth(auth: DoorAuth, maker: string): DoorAuthenticate {
  if (typeof auth === 'function') return auth
  const given: unknown = auth
  if (typeof given === 'object' && given !== null && 'kind' in given) {
    if (given.kind === 'none') return () => ANYONE
    if (given.kind === 'token' && 'token' in given) return byToken(given.token, maker)
  }
  throw new TypeError(
    `${maker} needs auth: { kind: 'token', token }, { kind: 'none' } or a function`,
  )
}

function byToken(given: unknown, maker: string): DoorAuthenticate {
  const tokens: unknown[] = Array.isArray(given) ? given : [given]
  const isToken = (token: unknown): token is string =>
    typeof token === 'string' && token.length >= MIN_TOKEN_LENGTH
  if (tokens.length === 0 || !tokens.every(isToken))
    throw new TypeError(`${maker}: auth.token must have at least ${MIN_TOKEN_LENGTH} characters`)
  const known = Promise.all(tokens.map(digest))
  return async ({ headers }) => {
    const token = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    const sent = token ?? headers.get('x-api-key')
    if (sent === null) return null
    const sum = await digest(sent)
    // Every token is compared, and digests have equal length, so timing reveals nothing.
    const index = (await known).map((one) => constantTimeEqual(one, sum)).indexOf(true)
    return index < 0 ? null : { userId: `token-${index}` }
  }
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
