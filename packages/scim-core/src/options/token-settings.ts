import { ScimConfigError } from '../base/errors.ts'
import { ALL_SCOPES, type ScimScope } from '../base/principal.ts'

/** One entry of `SCIM_TOKENS`. */
export interface ScimTokenSetting {
  readonly id: string
  readonly token: string
  /** Default `default`. */
  readonly tenant: string
  /** Default: all four. */
  readonly scopes: readonly ScimScope[]
  readonly notBefore: Date | null
  readonly expiresAt: Date | null
}

/** The entries of `SCIM_TOKENS`. @throws ScimConfigError */
export function readTokens(text: string | undefined): readonly ScimTokenSetting[] {
  if (text === undefined || text.trim() === '') return []
  const list = parseList(text)
  const tokens = list.map(readToken)
  if (new Set(tokens.map(({ id }) => id)).size !== tokens.length) throw wrongTokens('an id twice')
  return tokens
}

function parseList(text: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrongTokens('text that is not JSON')
  }
  if (!Array.isArray(value)) throw wrongTokens('something else than a list')
  return value
}

function readToken(entry: unknown): ScimTokenSetting {
  if (typeof entry !== 'object' || entry === null) throw wrongTokens('an entry that is no object')
  const { id, token, tenant, scopes, notBefore, expiresAt } = entry as Record<string, unknown>
  if (typeof id !== 'string' || id === '') throw wrongTokens('an entry without id')
  if (typeof token !== 'string' || token.trim() === '' || /\s/.test(token)) {
    throw wrongTokens(`no usable token for ${id}`)
  }
  if (tenant !== undefined && (typeof tenant !== 'string' || tenant === '')) {
    throw wrongTokens(`a wrong tenant for ${id}`)
  }
  return {
    id,
    token,
    tenant: tenant ?? 'default',
    scopes: readScopes(scopes, id),
    notBefore: readTime(notBefore, id),
    expiresAt: readTime(expiresAt, id),
  }
}

function readScopes(value: unknown, id: string): readonly ScimScope[] {
  if (value === undefined) return ALL_SCOPES
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map((name) => {
    const scope = ALL_SCOPES.find((one) => one === name)
    if (scope === undefined) throw wrongTokens(`a scope of ${id} outside ${ALL_SCOPES.join(', ')}`)
    return scope
  })
}

/** A time with date and offset. */
export const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

function readTime(value: unknown, id: string): Date | null {
  if (value === undefined || value === null) return null
  const time = typeof value === 'string' && RFC3339.test(value) ? new Date(value) : new Date(NaN)
  if (Number.isNaN(time.getTime())) throw wrongTokens(`a time of ${id} that is not RFC 3339`)
  return time
}

function wrongTokens(what: string): ScimConfigError {
  return new ScimConfigError('SCIM_TOKENS', `SCIM_TOKENS holds ${what}`)
}
