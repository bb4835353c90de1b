import { randomBytes } from 'node:crypto'
import {
  createAgentTypes,
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
import type { NamedCredential } from '@x/scim-core/reconcile'
import type { LinkedStores } from '@x/store-kysely/link'
import type { SqlScimStore } from '@x/store-kysely/scim'
import { openAuditLog } from './operate/audit-log.ts'
import type { Log } from './operate/log.ts'
import type { ScimReconcileOptions } from './scim-reconcile.ts'
import { watchSilence } from './scim-silence.ts'
import { isAdopting } from './settings/forms.ts'
import { createScimOAuth, readSigningKey, type ScimOAuth } from './scim-oauth.ts'
import { readVariable } from './settings/read-settings.ts'
import { metricTenants, scimLimits } from './settings/scim-limits.ts'
import { scimVariables } from './settings/scim-variables.ts'
import {
  checkPortalSettings,
  createScimPortal,
  readPortalRoles,
  type PortalGround,
  type PortalRoles,
} from './scim-portal.ts'
import type { DirectoryPortal } from '@x/directory-portal'
import type { SignalTransmitter } from '@x/scim-core/signals'
import { createScimSignals, readTransmitter } from './scim-signals.ts'

export { keyAgents } from './scim-agents.ts'

export interface Provisioning {
  readonly service: ScimService
  /** null unless `SCIM_CONNECTIONS` is on. */
  readonly connections: ScimConnections | null
  readonly oauth: ScimOAuth
  readonly enabled: boolean
  /** False with `SCIM_RECONCILE=false`. */
  readonly remembers: boolean
  /** The credentials of the settings; null if an issuer makes others. */
  readonly credentials: readonly NamedCredential[] | null
  /**
   * Links an account of the service to the directory.
   * @throws ScimError
   */
  readonly link: ScimReconcileOptions['link']
  /** The tenants named in the settings, starting with the default one. */
  readonly tenants: readonly string[]
  /** null while it is off. */
  readonly portal: DirectoryPortal | null
  /** Receives security events; null while nobody sends them. */
  readonly signals: (request: Request) => Promise<Response | null>
  /** Handles the paths of the portal; null while it is off. */
  readonly servePortal: (
    request: Request,
    path: string,
    context: { readonly clientAddress?: string; readonly requestId: string },
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
  /** Agents are resources of the directory. */
  readonly agents: boolean
  readonly portalName: string | undefined
  /** DNS server of the portal. */
  readonly portalDns: string | undefined
  readonly portalRoles: PortalRoles
  /** Who sends security events; undefined: nobody. */
  readonly transmitter: SignalTransmitter | undefined
  /** Who is named by a directory when is remembered. */
  readonly reconcile: boolean
  /** Seconds without a request of a credential of the settings that are an alarm; 0: none. */
  readonly silenceSeconds: number
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
  const flagOf = (
    name: 'SCIM_AGENTS' | 'SCIM_CONNECTIONS' | 'SCIM_PORTAL' | 'SCIM_RECONCILE',
  ): boolean => readVariable(name, scimVariables[name], environment[name]) as boolean
  const read = {
    ...settings,
    baseUrl: settings.baseUrl ?? `${publicUrl}/api/v1/scim/v2`,
    limits: scimLimits(environment),
    metricTenants: metricTenants(environment),
    adoptUsers: isAdopting(environment['SCIM_ADOPT_USERS']),
    silenceSeconds: readVariable(
      'SCIM_SILENCE_SECONDS',
      scimVariables.SCIM_SILENCE_SECONDS,
      environment['SCIM_SILENCE_SECONDS'],
    ) as number,
    reconcile: flagOf('SCIM_RECONCILE'),
    connections: flagOf('SCIM_CONNECTIONS'),
    portal: flagOf('SCIM_PORTAL'),
    agents: flagOf('SCIM_AGENTS'),
    portalName: environment['SCIM_PORTAL_NAME']?.trim() || undefined,
    portalDns: environment['SCIM_PORTAL_DNS']?.trim() || undefined,
    portalRoles: readPortalRoles(environment['SCIM_PORTAL_ROLES']),
    transmitter: readTransmitter(environment),
  }
  checkPortalSettings(read)
  return read
}

/** What the server lends to provisioning. */
interface ScimSurroundings extends Pick<ScimOptions, 'requestHooks' | 'metrics'> {
  readonly log: Log
  /** What the portal is built on; undefined while it is off. */
  readonly ground: PortalGround | undefined
  readonly secretKey: readonly string[]
  readonly publicUrl: string
  /** Guards itself against internal addresses. */
  readonly fetch: OAuthFetch
  readonly stores: Pick<LinkedStores, 'scim' | 'adopting' | 'endSessions'>
}

/** Creates the provisioning API; while it is disabled, every request gets 401. */
export async function createScim(
  store: SqlScimStore,
  settings: ProvisioningSettings,
  { log, ground, secretKey, publicUrl, fetch, stores, ...watchers }: ScimSurroundings,
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
    // While connections are off, nobody waits for them.
    store: settings.connections
      ? store.connections
      : { ...store.connections, page: async () => [] },
    tokens: store.tokens,
    alarms: store.kept,
    outbox: settings.options.outbox === true,
    ...(watchers.metrics && { metrics: watchers.metrics }),
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
  const options: ScimOptions = {
    ...(ground !== undefined && { observe: ground.log.observe }),
    ...settings.options,
    ...(settings.agents && {
      resourceTypes: [...(settings.options.resourceTypes ?? []), ...createAgentTypes({ store })],
    }),
    rememberActivity: settings.reconcile,
    limits: settings.limits,
    metricTenants: settings.metricTenants,
    store,
    enabled,
    baseUrl,
    auth: authOf(settings, [
      ...(settings.connections ? [connections.auth()] : []),
      ...(oauth.auth === undefined ? [] : [oauth.auth]),
    ]),
    audit(entry) {
      audit.write(entry)
      silence?.heard(entry)
    },
    onError: (error, { requestId }) => onError(error, requestId),
    ...watchers,
  }
  const service = createScimService(options)
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
  const credentials = credentialsOf(settings)
  const silence = enabled
    ? watchSilence({
        connections,
        store,
        credentials,
        silenceSeconds: settings.silenceSeconds,
        log,
        onError,
      })
    : undefined
  return {
    service,
    oauth,
    remembers: settings.reconcile,
    credentials,
    link({ tenant, account, userName, actor }) {
      const linking = createScimService({
        ...options,
        store: stores.adopting(account),
        audit: (entry) => audit.write({ ...entry, actor }),
      })
      return linking.users.create(tenant, { userName })
    },
    connections: settings.connections ? connections : null,
    enabled,
    tenants,
    portal: opened?.portal ?? null,
    signals: createScimSignals(enabled ? settings.transmitter : undefined, {
      stores,
      fetch,
      onError,
    }),
    servePortal: async (request, _path, { clientAddress }) =>
      opened?.portal.handle(request, clientAddress === undefined ? {} : { clientAddress }) ?? null,
    async close() {
      await opened?.stop()
      await silence?.stop()
      await audit.close()
    },
  }
}

/** 25 requests a second, as Microsoft's gallery requires. */
const DIRECTORY_PER_MINUTE = 1_500

/** Warns of a limit of requests a minute (0: none) that a directory would reach. */
export function warnOfLowLimit(
  { enabled }: ProvisioningSettings,
  perMinute: number,
  log: Log,
): void {
  if (!enabled || perMinute === 0 || perMinute >= DIRECTORY_PER_MINUTE) return
  log(
    'warning',
    `SERVICE_RATE_LIMIT is less than ${DIRECTORY_PER_MINUTE}, the requests a minute that a directory may need.`,
  )
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

/** By the ids of their principals; null: those of an issuer are not known. */
function credentialsOf({
  token,
  tokens,
  jwt,
  oauth,
}: ScimSettings): (NamedCredential & { readonly tenant: string })[] | null {
  if (jwt !== undefined) return null
  const clients = (oauth?.clients ?? []).flatMap(({ id, tenant, secrets, federation }) =>
    federation === null
      ? secrets.map(({ expiresAt }) => ({ id, tenant, expiresAt }))
      : [{ id, tenant, expiresAt: null }],
  )
  const own = token === undefined ? [] : [{ id: 'static', tenant: 'default', expiresAt: null }]
  return [
    ...own,
    ...tokens.map(({ id, tenant, expiresAt }) => ({ id, tenant, expiresAt })),
    ...clients,
  ]
}
