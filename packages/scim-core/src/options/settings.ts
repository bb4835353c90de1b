import { append } from '@x/wire'
import { ScimConfigError } from '../base/errors.ts'
import { readOAuthSettings, type ScimOAuthSettings } from './oauth-settings.ts'
import { readOktaTypes } from './okta-settings.ts'
import type { CursorOptions, ScimOptions } from './options.ts'
import { PROVIDER_PRESETS } from '../base/connection-settings.ts'
import { SCIM_PROFILES } from '../base/profiles.ts'
import { isQuirk, SCIM_QUIRKS, type ScimQuirk } from '../base/quirks.ts'
import { checkTokenLengths, isLoopback } from './short-tokens.ts'
import { readTokens, type ScimTokenSetting } from './token-settings.ts'

/** Settings of a server: options of the service, and values used by the server itself. */
export interface ScimSettings {
  readonly enabled: boolean
  /** `SCIM_TOKEN`; undefined if not set. */
  readonly token: string | undefined
  readonly tokens: readonly ScimTokenSetting[]
  /** Undefined if neither SCIM_BASE_URL nor SERVICE_PUBLIC_URL is set. */
  readonly baseUrl: string | undefined
  /** Options derived from the environment alone. */
  readonly options: Pick<
    ScimOptions,
    | 'userName'
    | 'emailConflict'
    | 'recreate'
    | 'deleteUser'
    | 'publicDiscovery'
    | 'uniqueGroupNames'
    | 'unknownMembers'
    | 'emptyMembers'
    | 'quirks'
    | 'pageSize'
    | 'maxPageSize'
    | 'bulk'
    | 'etag'
    | 'cursor'
    | 'allowedAddresses'
    | 'resourceTypes'
    | 'schemaOmit'
    | 'outbox'
    | 'profile'
    | 'unknownAttributes'
    | 'requirePatchPath'
    | 'replaceComplex'
    | 'password'
    | 'rateLimit'
  >
  /** `SCIM_JWT_*`; undefined: signed access tokens are not accepted. */
  readonly jwt?: ScimJwtSettings | undefined
  /** `SCIM_OAUTH_*`; undefined: none is set. */
  readonly oauth?: ScimOAuthSettings | undefined
  /** `SCIM_WEBHOOK_KEY`: encrypts the secrets of webhooks, and enables sending them. */
  readonly webhookKey?: string | undefined
  /** `stdout`, or the path of a file. */
  readonly auditLog: string
  /** Warnings to log at start. */
  readonly warnings: readonly string[]
}

/** Issuer and verification of signed access tokens. */
export interface ScimJwtSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwks: string
  readonly tenant: string
}

const PROVIDERS = [
  'other',
  'entra',
  'okta',
  'google',
  'onelogin',
  'jumpcloud',
  'ping',
  'sailpoint',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the SCIM_* variables (section 3 of the specification).
 * @throws ScimConfigError naming the variable and the allowed values
 */
export function readScimSettings(env: Environment): ScimSettings {
  const warnings: string[] = []
  const flag = (name: string, fallback = false): boolean =>
    readFlag(env, name, { fallback, warnings })
  const enabled = flag('SCIM_ENABLED')
  const token = env['SCIM_TOKEN']?.trim() === '' ? undefined : env['SCIM_TOKEN']
  const tokens = readTokens(env['SCIM_TOKENS'])
  const jwt = readJwt(env)
  const oauth = readOAuthSettings(env)
  const isOpen = token !== undefined || tokens.length > 0 || (oauth?.clients ?? []).length > 0
  if (enabled && !isOpen && jwt === undefined) {
    throw new ScimConfigError(
      'SCIM_TOKEN',
      'SCIM_TOKEN is required when SCIM_ENABLED is true; generate one with: openssl rand -base64 32',
    )
  }
  const provider = oneOf(env, 'SCIM_PROVIDER', PROVIDERS)
  /** A variable takes precedence over what the provider needs. */
  const read = <const T extends string>(
    option: keyof (typeof PROVIDER_PRESETS)['other'],
    name: string,
    values: readonly [T, ...T[]],
  ): T => {
    const preset = values.find((value) => value === PROVIDER_PRESETS[provider][option])
    const isGiven = readText(env, name) !== undefined
    return isGiven || preset === undefined ? oneOf(env, name, values) : preset
  }
  const types = readOktaTypes(env)
  const schemaOmit = readList(env['SCIM_SCHEMA_OMIT'])
  const webhookKey = readWebhookKey(env)
  // Webhooks are sent from the outbox.
  const outbox = flag('SCIM_OUTBOX') || webhookKey !== undefined
  const baseUrl = readBaseUrl(env)
  if (baseUrl !== undefined && isExposed(baseUrl)) {
    warnings.push(`SCIM_BASE_URL ${baseUrl} is not https: tokens travel unprotected`)
  }
  if (enabled) append(warnings, checkTokenLengths({ token, tokens, baseUrl }))
  return {
    enabled,
    token,
    tokens,
    baseUrl,
    options: {
      ...readProfile(env),
      userName: oneOf(env, 'SCIM_USER_NAME', ['email', 'any']),
      emailConflict: oneOf(env, 'SCIM_EMAIL_CONFLICT', ['primary', 'userName', 'off']),
      recreate: read('recreate', 'SCIM_RECREATE', ['same', 'name', 'externalId', 'never']),
      ...unlessProfile(env, 'SCIM_DELETE_USER', () => ({
        deleteUser: read('deleteUser', 'SCIM_DELETE_USER', ['deactivate', 'tombstone', 'remove']),
      })),
      publicDiscovery: flag('SCIM_PUBLIC_DISCOVERY'),
      uniqueGroupNames: flag('SCIM_UNIQUE_GROUP_NAMES', true),
      unknownMembers: oneOf(env, 'SCIM_UNKNOWN_MEMBERS', ['reject', 'skip']),
      emptyMembers: oneOf(env, 'SCIM_EMPTY_MEMBERS', ['array', 'omit']),
      ...unlessProfile(env, 'SCIM_QUIRKS', () => ({ quirks: readQuirks(env['SCIM_QUIRKS']) })),
      pageSize: readNumber(env, 'SCIM_PAGE_SIZE', 100),
      maxPageSize: readNumber(env, 'SCIM_MAX_PAGE_SIZE', 200),
      ...unlessProfile(env, 'SCIM_BULK', () => ({ bulk: flag('SCIM_BULK') })),
      ...unlessProfile(env, 'SCIM_ETAG', () => ({ etag: flag('SCIM_ETAG') })),
      ...unlessProfile(env, 'SCIM_CURSOR', () => ({
        cursor: flag('SCIM_CURSOR') && readCursor(env),
      })),
      allowedAddresses: readList(env['SCIM_ALLOWED_ADDRESSES']),
      ...(types.length > 0 && { resourceTypes: types }),
      ...(schemaOmit.length > 0 && { schemaOmit }),
      ...(outbox && { outbox }),
    },
    webhookKey,
    jwt,
    oauth,
    auditLog: readText(env, 'SCIM_AUDIT_LOG') ?? 'stdout',
    warnings,
  }
}

/** The options of `SCIM_PROFILE`. */
function readProfile(env: Environment): Partial<ScimSettings['options']> {
  const name = oneOf(env, 'SCIM_PROFILE', ['none', 'interop', 'ipsie-al2'])
  return name === 'none' ? {} : SCIM_PROFILES[name]
}

/** Variables take precedence over the profile, and the profile over defaults. */
function unlessProfile<Part extends object>(
  env: Environment,
  name: string,
  read: () => Part,
): Part | undefined {
  const part = read()
  const profile = readProfile(env)
  const isDecided = Object.keys(part).every((option) => Object.hasOwn(profile, option))
  return isDecided && readText(env, name) === undefined ? undefined : part
}

/** @throws ScimConfigError if it is too short to be a secret */
function readWebhookKey(env: Environment): string | undefined {
  const key = readText(env, 'SCIM_WEBHOOK_KEY')
  if (key === undefined || key.length >= 32) return key
  throw new ScimConfigError('SCIM_WEBHOOK_KEY', 'SCIM_WEBHOOK_KEY must have at least 32 characters')
}

/** Issuer, audience and keys must be set together. */
function readJwt(env: Environment): ScimJwtSettings | undefined {
  const [issuer, audience, jwks] = ['ISSUER', 'AUDIENCE', 'JWKS'].map((name) =>
    readText(env, `SCIM_JWT_${name}`),
  )
  if (issuer === undefined && audience === undefined && jwks === undefined) return undefined
  if (issuer === undefined || audience === undefined || jwks === undefined) {
    const names = 'SCIM_JWT_ISSUER, SCIM_JWT_AUDIENCE and SCIM_JWT_JWKS'
    throw new ScimConfigError('SCIM_JWT_ISSUER', `${names} must be given together`)
  }
  if (!URL.canParse(jwks) || !/^https?:\/\//i.test(jwks)) {
    throw new ScimConfigError('SCIM_JWT_JWKS', 'SCIM_JWT_JWKS must be an http or https URL')
  }
  return { issuer, audience, jwks, tenant: readText(env, 'SCIM_JWT_TENANT') ?? 'default' }
}

function readText(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim()
  return text === '' ? undefined : text
}

/** Only the exact word `true` is true. */
function readFlag(
  env: Environment,
  name: string,
  { fallback, warnings }: { readonly fallback: boolean; readonly warnings: string[] },
): boolean {
  const word = readText(env, name)?.toLowerCase()
  if (word === undefined) return fallback
  if (word !== 'true' && word !== 'false') {
    warnings.push(`${name} is neither true nor false; it counts as false`)
  }
  return word === 'true'
}

/** The first value is the default. */
function oneOf<const T extends string>(
  env: Environment,
  name: string,
  values: readonly [T, ...T[]],
): T {
  const text = readText(env, name)
  if (text === undefined) return values[0]
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase())
  if (found === undefined) {
    throw new ScimConfigError(name, `${name} must be one of ${values.join(', ')}`)
  }
  return found
}

function readNumber(env: Environment, name: string, fallback: number): number {
  const text = readText(env, name)
  if (text === undefined) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new ScimConfigError(name, `${name} must be a positive integer`)
  }
  return value
}

function readList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function readBaseUrl(env: Environment): string | undefined {
  const own = readText(env, 'SCIM_BASE_URL')
  const service = readText(env, 'SERVICE_PUBLIC_URL')?.replace(/\/+$/, '')
  const url = own ?? (service === undefined ? undefined : `${service}/api/v1/scim/v2`)
  if (url !== undefined && (!URL.canParse(url) || !/^https?:\/\//i.test(url))) {
    throw new ScimConfigError('SCIM_BASE_URL', 'SCIM_BASE_URL must be an http or https URL')
  }
  return url
}

/** Returns whether a URL is http on a host other than loopback. */
function isExposed(url: string): boolean {
  return new URL(url).protocol === 'http:' && !isLoopback(url)
}

/** `all`, `none`, or the enabled switches. */
function readQuirks(text: string | undefined): NonNullable<ScimOptions['quirks']> {
  const names = readList(text)
  const [first = 'all', second] = names
  if (second === undefined && (first === 'all' || first === 'none')) return first
  const quirks: Partial<Record<ScimQuirk, boolean>> = {}
  for (const quirk of SCIM_QUIRKS) quirks[quirk] = false
  for (const name of names) {
    if (!isQuirk(name)) {
      const values = ['all', 'none', ...SCIM_QUIRKS].join(', ')
      throw new ScimConfigError('SCIM_QUIRKS', `SCIM_QUIRKS must be one of ${values}`)
    }
    quirks[name] = true
  }
  return quirks
}

function readCursor(env: Environment): CursorOptions {
  const secret = readText(env, 'SCIM_CURSOR_SECRET')
  return { ttl: readNumber(env, 'SCIM_CURSOR_TTL', 600), ...(secret !== undefined && { secret }) }
}
