import { createHash, randomBytes } from 'node:crypto'
import {
  createScimService,
  createScimTokens,
  readScimSettings,
  type ScimAuth,
  type ScimService,
  type ScimSettings,
  type ScimStore,
} from '@x/scim-core'
import { createMemoryTokenStore } from '@x/scim-core/memory'
import { openAuditLog } from './audit-log.ts'
import type { Log } from './log.ts'

export interface Provisioning {
  readonly service: ScimService
  readonly enabled: boolean
  /** Writes what is left of the audit log. */
  close(): Promise<void>
}

/** What the SCIM_ variables say. */
export interface ProvisioningSettings extends ScimSettings {
  readonly baseUrl: string
  /** Whether a new SCIM user takes over a user of the service of the same name. */
  readonly adoptUsers: boolean
}

/** @throws ScimConfigError naming the variable */
export function readProvisioning(
  environment: Readonly<Record<string, string | undefined>>,
  publicUrl: string,
): ProvisioningSettings {
  const settings = readScimSettings({ SERVICE_PUBLIC_URL: publicUrl, ...environment })
  return {
    ...settings,
    baseUrl: settings.baseUrl ?? `${publicUrl}/api/v1/scim/v2`,
    adoptUsers: /^(true|1|yes|on)$/i.test(environment['SCIM_ADOPT_USERS']?.trim() ?? ''),
  }
}

/** Provisioning; while it is off, every request is answered with 401. */
export async function createScim(
  store: ScimStore,
  settings: ProvisioningSettings,
  log: Log,
): Promise<Provisioning> {
  for (const warning of settings.warnings) log('warning', warning)
  const audit = openAuditLog(settings.auditLog, (error) => log('error', String(error)))
  const { enabled, baseUrl } = settings
  const service = createScimService({
    ...settings.options,
    store,
    enabled,
    baseUrl,
    auth: await authOf(settings),
    audit: (entry) => audit.write(entry),
    onError: (error) => log('error', String(error)),
  })
  return { service, enabled, close: () => audit.close() }
}

/** The one token, or it and the further ones, each with its tenant, scopes and times. */
async function authOf({ token, tokens }: ScimSettings): Promise<ScimAuth> {
  if (tokens.length === 0)
    return { kind: 'token', token: token ?? randomBytes(32).toString('base64url') }
  const store = createMemoryTokenStore()
  const all = ['users:read', 'users:write', 'groups:read', 'groups:write'] as const
  const first = token === undefined ? [] : [{ ...STATIC, token, scopes: all }]
  for (const { token: clear, ...rest } of [...first, ...tokens]) {
    const digest = createHash('sha256').update(clear).digest('hex')
    await store.insert({ ...rest, digest, created: new Date(), ...FRESH })
  }
  return { kind: 'tokens', service: createScimTokens({ store }) }
}

const FRESH = { label: null, revokedAt: null, lastUsedAt: null }
const STATIC = { id: 'static', tenant: 'default', notBefore: null, expiresAt: null }
