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
import { createJwtAuth } from '@x/scim-core/oauth'
import type { SqlScimStore } from '@x/store-kysely/scim'
import { openAuditLog } from './operate/audit-log.ts'
import type { Log } from './operate/log.ts'
import { isAdopting } from './settings/forms.ts'
import { readVariable } from './settings/read-settings.ts'
import { metricTenants, scimLimits } from './settings/scim-limits.ts'
import { scimVariables } from './settings/scim-variables.ts'
import {
  checkPortalSettings,
  createScimPortal,
  openPortalGround,
  type PortalDb,
} from './scim-portal.ts'
import type { DirectoryPortal } from '@x/directory-portal'

export interface Provisioning {
  readonly service: ScimService
  /** null unless `SCIM_CONNECTIONS` is on. */
  readonly connections: ScimConnections | null
  readonly enabled: boolean
  /** The tenants named in the settings, starting with the default one. */
  readonly tenants: readonly string[]
  /** null while it is off. */
  readonly portal: DirectoryPortal | null
  /** Handles the paths of the portal; null while it is off. */
  readonly servePortal: (
    request: Request,
    path: string,
    context: { readonly clientAddress?: string },
  ) => Promise<Response | null>
  /** Flushes the audit log and that of the portal. */
  close(): Promise<void>
}

/** The settings read from the SCIM_ variables. */
export interface ProvisioningSettings extends ScimSettings {
  readonly baseUrl: string
  /** A new SCIM user takes over the service's user with the same name. */
  readonly adoptUsers: boolean
  /** Superusers manage connections, whose credentials are accepted. */
  readonly connections: boolean
  /** The portal for administrators of customers. */
  readonly portal: boolean
  readonly portalName: string | undefined
  /** DNS server of the portal. */
  readonly portalDns: string | undefined
  readonly limits: ScimLimits
  readonly metricTenants: number
}

/** @throws ScimConfigError or SettingsError naming the variable */
export function readProvisioning(
  environment: Readonly<Record<string, string | undefined>>,
  publicUrl: string,
): ProvisioningSettings {
  const settings = readScimSettings({ SERVICE_PUBLIC_URL: publicUrl, ...environment })
  const flagOf = (name: 'SCIM_CONNECTIONS' | 'SCIM_PORTAL'): boolean =>
    readVariable(name, scimVariables[name], environment[name]) as boolean
  const read = {
    ...settings,
    baseUrl: settings.baseUrl ?? `${publicUrl}/api/v1/scim/v2`,
    limits: scimLimits(environment),
    metricTenants: metricTenants(environment),
    adoptUsers: isAdopting(environment['SCIM_ADOPT_USERS']),
    connections: flagOf('SCIM_CONNECTIONS'),
    portal: flagOf('SCIM_PORTAL'),
    portalName: environment['SCIM_PORTAL_NAME']?.trim() || undefined,
    portalDns: environment['SCIM_PORTAL_DNS']?.trim() || undefined,
  }
  checkPortalSettings(read)
  return read
}

/** Creates the provisioning API; while it is disabled, every request gets 401. */
export async function createScim(
  store: SqlScimStore,
  settings: ProvisioningSettings,
  {
    log,
    db,
    publicUrl,
    ...watchers
  }: {
    readonly log: Log
    /** Where the portal keeps its records. */
    readonly db: PortalDb
    readonly publicUrl: string
  } & Pick<ScimOptions, 'requestHooks' | 'metrics'>,
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
  const ground = await openPortalGround(db, settings.portal, onError)
  const service = createScimService({
    ...(ground !== undefined && { observe: ground.log.observe }),
    ...settings.options,
    limits: settings.limits,
    metricTenants: settings.metricTenants,
    store,
    enabled,
    baseUrl,
    auth: [...authOf(settings), ...(settings.connections ? [connections.auth()] : [])],
    audit: (entry) => audit.write(entry),
    onError: (error, { requestId }) => onError(error, requestId),
    ...watchers,
  })
  const tenants = tenantsOf(settings)
  const opened =
    ground &&
    createScimPortal({
      ...ground,
      service,
      connections,
      baseUrl,
      publicUrl,
      name: settings.portalName,
      dns: settings.portalDns,
      onError,
    })
  return {
    service,
    connections: settings.connections ? connections : null,
    enabled,
    tenants,
    portal: opened?.portal ?? null,
    servePortal: async (request, _path, { clientAddress }) =>
      opened?.portal.handle(request, clientAddress === undefined ? {} : { clientAddress }) ?? null,
    async close() {
      await opened?.stop()
      await audit.close()
    },
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

function tenantsOf({ tokens, jwt }: ScimSettings): readonly string[] {
  const named = tokens.map(({ tenant }) => tenant)
  return [...new Set(['default', ...named, ...(jwt === undefined ? [] : [jwt.tenant])])]
}

/** The tokens from the settings, and signed access tokens if configured. */
function authOf(settings: ScimSettings): readonly ScimAuth[] {
  const { token, tokens, jwt } = settings
  const signed = jwt === undefined ? [] : [createJwtAuth(jwt)]
  const isNone = token === undefined && tokens.length === 0
  if (isNone && signed.length > 0) return signed
  // While nothing is configured, provisioning is disabled by a random, secret token.
  const own = isNone ? { ...settings, token: randomBytes(32).toString('base64url') } : settings
  return [createSettingsAuth(own), ...signed]
}
