import { trimSlashes } from '@x/wire'
import { ScimConfigError } from '../base/errors.ts'
import { readClients, type ScimClientSetting } from './client-settings.ts'

/** `SCIM_OAUTH_*`: the clients and tokens of the server's own token endpoint. */
export interface ScimOAuthSettings {
  readonly clients: readonly ScimClientSetting[]
  /** Undefined: derived from the public address. */
  readonly issuer: string | undefined
  /** Lifetime of access tokens, 3,600 to 21,600. */
  readonly ttlSeconds: number
  /** A private key, JWK or PEM. Undefined: the server makes one. */
  readonly key: string | undefined
}

const NAMES = [
  'SCIM_OAUTH_CLIENTS',
  'SCIM_OAUTH_ISSUER',
  'SCIM_OAUTH_TTL',
  'SCIM_OAUTH_KEY',
] as const
const MIN_TTL = 3_600
const MAX_TTL = 21_600

/** Undefined if none of the variables is set. @throws ScimConfigError naming the variable */
export function readOAuthSettings(
  env: Readonly<Record<string, string | undefined>>,
): ScimOAuthSettings | undefined {
  const text = (name: string): string | undefined => {
    const given = env[name]?.trim()
    return given === '' ? undefined : given
  }
  if (NAMES.every((name) => text(name) === undefined)) return undefined
  return {
    clients: readClients(env['SCIM_OAUTH_CLIENTS']),
    issuer: readIssuer(text('SCIM_OAUTH_ISSUER')),
    ttlSeconds: readTtl(text('SCIM_OAUTH_TTL')),
    key: text('SCIM_OAUTH_KEY'),
  }
}

/** An issuer has neither query nor fragment (RFC 8414). */
function readIssuer(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (URL.canParse(text) && /^https?:\/\/[^?#]+$/i.test(text)) return trimSlashes(text)
  const detail = 'SCIM_OAUTH_ISSUER must be an http or https URL without query'
  throw new ScimConfigError('SCIM_OAUTH_ISSUER', detail)
}

function readTtl(text: string | undefined): number {
  if (text === undefined) return MIN_TTL
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (seconds >= MIN_TTL && seconds <= MAX_TTL) return seconds
  const detail = `SCIM_OAUTH_TTL must be a number of seconds from ${MIN_TTL} to ${MAX_TTL}`
  throw new ScimConfigError('SCIM_OAUTH_TTL', detail)
}
