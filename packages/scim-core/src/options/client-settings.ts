import { isObject } from '@x/wire'
import { readFederation, type ClientFederation } from '../base/client-federation.ts'
import { sha256Hex } from '../base/digest.ts'
import { ScimConfigError } from '../base/errors.ts'
import { ALL_SCOPES, type ScimScope } from '../base/principal.ts'
import type { ClientSecret, ClientStore, OAuthClient } from '../store/clients.ts'
import { RFC3339 } from './token-settings.ts'

/** One entry of `SCIM_OAUTH_CLIENTS`; secrets are kept as digests. */
export interface ScimClientSetting {
  readonly id: string
  /** Default `default`. */
  readonly tenant: string
  /** Default: all four. */
  readonly scopes: readonly ScimScope[]
  /** Empty with `federation`. */
  readonly secrets: readonly ClientSecret[]
  readonly federation: ClientFederation | null
}

const NAME = 'SCIM_OAUTH_CLIENTS'
const MAX_ID = 255
const MAX_SECRETS = 5
const SECRET = /^[!-~]{32,255}$/
const FIELDS = ['id', 'tenant', 'scopes', 'secrets', 'federation']
const SECRET_FIELDS = ['secret', 'notBefore', 'expiresAt']

/** The entries of `SCIM_OAUTH_CLIENTS`. @throws ScimConfigError naming index and field, never a secret */
export function readClients(text: string | undefined): readonly ScimClientSetting[] {
  if (text === undefined || text.trim() === '') return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('', 'must be a JSON list')
  }
  if (!Array.isArray(value)) throw wrong('', 'must be a JSON list')
  const clients = value.map((entry: unknown, index) => readClient(entry, `[${index}]`))
  for (const [index, { id }] of clients.entries()) {
    if (clients.findIndex((client) => client.id === id) !== index) {
      throw wrong(`[${index}].id`, 'is that of an earlier entry')
    }
  }
  return clients
}

/** The clients of the settings, for `createTokenEndpoint`, and those of another store after them. */
export function createSettingsClients(
  clients: readonly ScimClientSetting[],
  others?: ClientStore,
): ClientStore {
  const own = new Map<string, OAuthClient>()
  for (const client of clients) {
    own.set(client.id, { ...client, digest: null, jwks: null, connectionId: null })
  }
  return {
    find: async (id) => own.get(id) ?? (await others?.find(id)) ?? null,
    ...(others?.answered !== undefined && { answered: others.answered }),
    refused: (client) => {
      if (!own.has(client.id)) others?.refused?.(client)
    },
    used: (client, secretId) => {
      if (!own.has(client.id)) others?.used?.(client, secretId)
    },
  }
}

function readClient(entry: unknown, at: string): ScimClientSetting {
  if (!isObject(entry)) throw wrong(at, 'must be an object')
  assertKnown(entry, FIELDS, at)
  const { id, tenant = 'default', scopes, secrets, federation } = entry
  if (!isText(id, MAX_ID)) throw wrong(`${at}.id`, `must have 1 to ${MAX_ID} characters`)
  if (!isText(tenant, MAX_ID)) throw wrong(`${at}.tenant`, `must have 1 to ${MAX_ID} characters`)
  if ((secrets === undefined) === (federation === undefined)) {
    throw wrong(at, 'must have either secrets or federation')
  }
  const rights = { id, tenant, scopes: readScopes(scopes, `${at}.scopes`) }
  if (federation !== undefined) {
    return { ...rights, secrets: [], federation: readIdentity(federation, at) }
  }
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.length > MAX_SECRETS) {
    throw wrong(`${at}.secrets`, `must be a list of 1 to ${MAX_SECRETS} secrets`)
  }
  const read = secrets.map((one: unknown, index) => readSecret(one, `${at}.secrets[${index}]`))
  return { ...rights, secrets: read, federation: null }
}

function readSecret(entry: unknown, at: string): ClientSecret {
  if (!isObject(entry)) throw wrong(at, 'must be an object')
  assertKnown(entry, SECRET_FIELDS, at)
  const { secret, notBefore, expiresAt } = entry
  if (typeof secret !== 'string' || !SECRET.test(secret)) {
    throw wrong(`${at}.secret`, 'must have 32 to 255 printable characters without spaces')
  }
  const digest = sha256Hex(secret)
  const end = readTime(expiresAt, `${at}.expiresAt`)
  const begin = notBefore === undefined ? null : readTime(notBefore, `${at}.notBefore`)
  // The id is in access tokens; a secret that is taken out of the list ends them.
  return { id: sha256Hex(digest).slice(0, 16), digest, notBefore: begin, expiresAt: end }
}

function readIdentity(value: unknown, at: string): ClientFederation {
  try {
    return readFederation(value)
  } catch (error) {
    const { message } = error as Error
    throw new ScimConfigError(NAME, `${NAME}${at}.${message}`)
  }
}

function readScopes(value: unknown, at: string): readonly ScimScope[] {
  if (value === undefined) return ALL_SCOPES
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map((name) => {
    const scope = ALL_SCOPES.find((one) => one === name)
    if (scope === undefined) throw wrong(at, `must be among ${ALL_SCOPES.join(', ')}`)
    return scope
  })
}

function readTime(value: unknown, at: string): Date {
  const time = typeof value === 'string' && RFC3339.test(value) ? new Date(value) : new Date(NaN)
  if (Number.isNaN(time.getTime())) throw wrong(at, 'must be a time as in RFC 3339')
  return time
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most
}

function assertKnown(
  entry: Readonly<Record<string, unknown>>,
  names: readonly string[],
  at: string,
): void {
  if (Object.keys(entry).every((name) => names.includes(name))) return
  throw wrong(at, `may have ${names.join(', ')} only`)
}

function wrong(at: string, what: string): ScimConfigError {
  return new ScimConfigError(NAME, `${NAME}${at} ${what}`)
}
