import { randomBytes } from 'node:crypto'
import {
  createScimService,
  createSettingsAuth,
  readScimSettings,
  type ScimAuth,
  type ScimLimits,
  type ScimOptions,
  type ScimService,
  type ScimSettings,
} from '@x/scim-core'
import { createScimConnections, type ScimConnections } from '@x/scim-core/connections'
import { createJwtAuth, type OAuthFetch } from '@x/scim-core/oauth'
import type { SqlScimStore } from '@x/store-kysely/scim'
import { openAuditLog } from './operate/audit-log.ts'
import type { Log } from './operate/log.ts'
import { isAdopting } from './settings/forms.ts'
import { createScimOAuth, readSigningKey, type ScimOAuth } from './scim-oauth.ts'
import { readVariable } from './settings/read-settings.ts'
import { metricTenants, scimLimits } from './settings/scim-limits.ts'
import { scimVariables } from './settings/scim-variables.ts'

export interface Provisioning {
  readonly service: ScimService
  /** null unless `SCIM_CONNECTIONS` is on. */
  readonly connections: ScimConnections | null
  readonly oauth: ScimOAuth
  readonly enabled: boolean
  /** The tenants named in the settings, starting with the default one. */
  readonly tenants: readonly string[]
  /** Flushes the audit log. */
  close(): Promise<void>
}

/** The settings read from the SCIM_ variables. */
export interface ProvisioningSettings extends ScimSettings {
  readonly baseUrl: string
  /** A new SCIM user takes over the service's user with the same name. */
  readonly adoptUsers: boolean
  /** Superusers manage connections, whose credentials are accepted. */
  readonly connections: boolean
  readonly limits: ScimLimits
  readonly metricTenants: number
}

/** @throws ScimConfigError or SettingsError naming the variable */
export function readProvisioning(
  environment: Readonly<Record<string, string | undefined>>,
  publicUrl: string,
): ProvisioningSettings {
  const settings = readScimSettings({ SERVICE_PUBLIC_URL: publicUrl, ...environment })
  if (settings.oauth?.key !== undefined) readSigningKey(settings.oauth.key)
  return {
    ...settings,
    baseUrl: settings.baseUrl ?? `${publicUrl}/api/v1/scim/v2`,
    limits: scimLimits(environment),
    metricTenants: metricTenants(environment),
    adoptUsers: isAdopting(environment['SCIM_ADOPT_USERS']),
    connections: readVariable(
      'SCIM_CONNECTIONS',
      scimVariables.SCIM_CONNECTIONS,
      environment['SCIM_CONNECTIONS'],
    ) as boolean,
  }
}

/** What the server lends to provisioning. */
interface ScimSurroundings extends Pick<ScimOptions, 'requestHooks' | 'metrics'> {
  readonly log: Log
  readonly secretKey: string
  readonly publicUrl: string
  /** Guards itself against internal addresses. */
  readonly fetch: OAuthFetch
}

/** Creates the provisioning API; while it is disabled, every request gets 401. */
export async function createScim(
  store: SqlScimStore,
  settings: ProvisioningSettings,
  { log, secretKey, publicUrl, fetch, ...watchers }: ScimSurroundings,
): Promise<Provisioning> {
  for (const warning of settings.warnings) log('warning', warning)
  const audit = openAuditLog(settings.auditLog, (error) => log('error', String(error)))
  const { enabled, baseUrl } = settings
  const onError = (error: unknown, requestId?: string): void =>
    log('error', String(error), {
      ...(requestId !== undefined && { requestId }),
      stack: error instanceof Error ? error.stack : undefined,
    })
  await warnOfClosed(store, settings, log)
  const connections = createScimConnections({
    store: store.connections,
    tokens: store.tokens,
    onError,
  })
  const oauth = await createScimOAuth({
    enabled,
    settings: settings.oauth,
    publicUrl,
    audience: baseUrl,
    connections: settings.connections ? connections : null,
    store,
    secretKey,
    fetch,
    log,
  })
  const service = createScimService({
    ...settings.options,
    limits: settings.limits,
    metricTenants: settings.metricTenants,
    store,
    enabled,
    baseUrl,
    auth: authOf(settings, [
      ...(settings.connections ? [connections.auth()] : []),
      ...(oauth.auth === undefined ? [] : [oauth.auth]),
    ]),
    audit: (entry) => audit.write(entry),
    onError: (error, { requestId }) => onError(error, requestId),
    ...watchers,
  })
  const tenants = tenantsOf(settings)
  return {
    service,
    oauth,
    connections: settings.connections ? connections : null,
    enabled,
    tenants,
    close: () => audit.close(),
  }
}

/** Connections made earlier open nothing while they are off. */
async function warnOfClosed(
  store: SqlScimStore,
  { enabled, connections }: ProvisioningSettings,
  log: Log,
): Promise<void> {
  if (!enabled || connections) return
  const [known] = (await store.connections.page?.({ limit: 1 })) ?? []
  if (known === undefined) return
  log(
    'warning',
    'SCIM connections exist but SCIM_CONNECTIONS is not true; their credentials are refused.',
  )
}

function tenantsOf({ tokens, jwt, oauth }: ScimSettings): readonly string[] {
  const named = [...tokens, ...(oauth?.clients ?? [])].map(({ tenant }) => tenant)
  return [...new Set(['default', ...named, ...(jwt === undefined ? [] : [jwt.tenant])])]
}

/** The tokens from the settings, signed access tokens if configured, and the other methods. */
function authOf(settings: ScimSettings, others: readonly ScimAuth[]): readonly ScimAuth[] {
  const { token, tokens, jwt } = settings
  const more = [...(jwt === undefined ? [] : [createJwtAuth(jwt)]), ...others]
  const isNone = token === undefined && tokens.length === 0
  if (isNone && more.length > 0) return more
  // While nothing is configured, provisioning is disabled by a random, secret token.
  const own = isNone ? { ...settings, token: randomBytes(32).toString('base64url') } : settings
  return [createSettingsAuth(own), ...more]
}
