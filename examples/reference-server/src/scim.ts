import { randomBytes } from 'node:crypto'
import {
  createScimService,
  createSettingsAuth,
  readScimSettings,
  type ScimAuth,
  type ScimService,
  type ScimSettings,
  type ScimStore,
} from '@x/scim-core'
import { createJwtAuth } from '@x/scim-core/oauth'
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
    auth: authOf(settings),
    audit: (entry) => audit.write(entry),
    onError: (error) => log('error', String(error)),
  })
  return { service, enabled, close: () => audit.close() }
}

/** The tokens of the settings, and signed access tokens where they are set up. */
function authOf(settings: ScimSettings): readonly ScimAuth[] {
  const { token, tokens, jwt } = settings
  const signed = jwt === undefined ? [] : [createJwtAuth(jwt)]
  const isNone = token === undefined && tokens.length === 0
  if (isNone && signed.length > 0) return signed
  // While nothing is set up, provisioning is off, and nobody knows this token.
  const own = isNone ? { ...settings, token: randomBytes(32).toString('base64url') } : settings
  return [createSettingsAuth(own), ...signed]
}
