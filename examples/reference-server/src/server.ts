import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  createCors,
  createFlowService,
  createHostGate,
  groupSettings,
  type RequestHooks,
} from '@x/flow-service'
import {
  createDiskBlobStore,
  createDiskFlowFiles,
  createDiskProfilePictures,
} from '@x/flow-service/node'
import { createGuardedFetch } from '@x/flow-engine/node'
import type { FetchHandler } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { createAuditStore, createJobStore } from '@x/store-kysely/flow'
import { createSqlConnections } from '@x/store-kysely/connections'
import { linkUsers } from '@x/store-kysely/link'
import { apiPage } from './api-page.ts'
import { createCodeRunnersOf } from './code-runners.ts'
import { consolePage } from './console-page.ts'
import { componentServices } from './component-services.ts'
import { openDatabase } from './database.ts'
import { refuseDotted } from './dotted-targets.ts'
import { createEditorPage } from './editor-page.ts'
import { prepareFirstStart, type FirstStart } from './first-start.ts'
import { startMaintenance } from './maintenance.ts'
import { answerMounted, own, type MountHandlers } from './mounts.ts'
import { budgetOptions } from './settings/budget-options.ts'
import { databaseOptions, isPostgres, queueOptions } from './settings/queue-options.ts'
import { openPasswords } from './moved-passwords.ts'
import { pathOf } from './path-of.ts'
import { createScim, keyAgents, readProvisioning, warnOfLowLimit } from './scim.ts'
import { openPortalGround } from './scim-portal.ts'
import type { Log } from './operate/log.ts'
import { createAuditTrail } from './operate/audit-trail.ts'
import { openMetrics } from './operate/metrics-endpoint.ts'
import { openRequestLimit, quotasOf } from './operate/rate-limit.ts'
import { createReadiness, readinessAnswer } from './operate/readiness.ts'
import { reportErrors } from './operate/report-errors.ts'
import { createRequestLog, identified } from './operate/request-log.ts'
import { openTracing, withSpans } from './operate/tracing.ts'
import { createScimAdmin } from './scim-admin.ts'
import { readSecretKeys } from './secret-key.ts'
import { doorOptions } from './settings/door-options.ts'
import { mcpOptions, openAiOptions, runLimits, surfaceLimits } from './settings/engine-limits.ts'
import { readPublicUrl, toFlowSettings } from './settings/flow-settings.ts'
import type { Settings } from './settings/read-settings.ts'
import { readTrustProxy } from './settings/trust-proxy.ts'
import { createSingleSignOn } from './single-sign-on.ts'
import { refusedByRole } from './operate/refused-by-role.ts'
import { createDemoSurface } from './surfaces/demo-surface.ts'
import { startOutbox } from './webhooks.ts'
import { createVectorDatabase, type VectorDatabase } from './vector-database.ts'

export interface ReferenceServer {
  readonly listener: RequestListener
  readonly database: string
  readonly publicUrl: string
  readonly scimEnabled: boolean
  readonly mcpEnabled: boolean
  readonly firstStart: FirstStart
  /** Reports not ready and keeps serving for SERVICE_DRAIN_SECONDS. */
  drain(): Promise<void>
  /** Ends surface streams, accepts no new jobs and waits up to `patienceMs` for running ones. */
  finish(patienceMs: number): Promise<void>
  /** Flushes pending writes and closes the database. */
  close(): Promise<void>
}

interface ServerContext {
  readonly clientAddress?: string
  readonly hostMissing?: true
  readonly requestId: string
}

/** The server's address and log. */
interface Surroundings {
  /** `http://HOST:PORT`, the base of absolute URLs unless SERVICE_PUBLIC_URL is set. */
  readonly url: string
  readonly log: Log
  /** Called with the part that the start waits for. */
  readonly waiting?: (part: string) => void
}

/**
 * Runs every package of this workspace behind one listener.
 * @throws SettingsError, TypeError for invalid settings
 */
export async function createReferenceServer(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
  { url, log, waiting }: Surroundings,
): Promise<ReferenceServer> {
  const folder = settings.SERVICE_CONFIG_DIR ?? './data'
  const publicUrl = readPublicUrl(settings.SERVICE_PUBLIC_URL) ?? url
  const onError = reportErrors(log, () => trail)
  const requests = createRequestLog(log, settings)
  const counted = await openMetrics(settings, SERVICE_VERSION)
  const metrics = counted === undefined ? {} : { metrics: counted.metrics }
  const spans = await openTracing(settings, { version: SERVICE_VERSION, log })

  // All settings are validated before anything is created.
  const flowSettings = toFlowSettings(settings, publicUrl)
  const trustProxy = readTrustProxy(settings.SERVICE_TRUST_PROXY ?? [])
  const provisioning = readProvisioning(environment, publicUrl)
  const sql = createSqlConnections({
    allow: settings.SERVICE_SQL_ALLOW ?? [],
    setting: 'SERVICE_SQL_ALLOW',
  })
  const editorFolder = settings.SERVICE_FRONTEND_PATH
  const editor = editorFolder === undefined ? undefined : await createEditorPage(editorFolder)
  const code = await createCodeRunnersOf(settings, environment, { folder, log })
  const secretKey = readSecretKeys(settings, folder)
  const { db, kind } = await openDatabase(settings.SERVICE_DATABASE_URL, {
    folder,
    ...databaseOptions(settings),
    waiting: () => waiting?.('database'),
    ...metrics,
  })
  const rateLimit = await openRequestLimit<ServerContext, unknown>(settings, {
    db,
    isShared: isPostgres(settings),
    onError,
  })
  const ended: RequestHooks = {
    onRequestEnd(request, end) {
      requests.hooks.onRequestEnd?.(request, end)
      rateLimit.learn(request, end)
    },
  }
  const requestHooks = withSpans(ended, spans?.requestHooks)
  const audit = createAuditStore(db)
  const trail = createAuditTrail(audit, { log, onError })
  const ground = await openPortalGround(db, provisioning, onError)
  const stores = linkUsers(db, {
    ...(ground?.roles && { directory: ground.roles }),
    adoptUsers: provisioning.adoptUsers,
    adoptHint: 'Set SCIM_ADOPT_USERS=userName to link it, or rename it.',
    ...(settings.OIDC_ISSUER !== undefined && { signInIssuer: settings.OIDC_ISSUER }),
    onFlowUserWrite: (change) => engine.userWritten(change),
    onScimUserWrite: (change, transaction) => scim.service.recordUserWrite(change, transaction),
  })

  const vectors = vectorDatabase(settings, folder)
  const queue = queueOptions(settings)
  const guardedFetch = createGuardedFetch({ allow: settings.SERVICE_SSRF_ALLOW ?? [] })
  const grouped = groupSettings(flowSettings)
  const engine = createFlowService({
    store: stores.flow,
    files: createDiskBlobStore(join(folder, 'files')),
    jobs: createJobStore(db),
    secretKey,
    settings: grouped.settings,
    limits: { ...grouped.limits, run: runLimits(settings) },
    services: componentServices(settings, { environment, fetch: guardedFetch, sql, code }),
    queue,
    ...budgetOptions(settings),
    doors: {
      ...grouped.doors,
      openai: openAiOptions(settings),
      mcp: mcpOptions(settings),
      ...doorOptions(settings),
    },
    overrides: {
      ...keyAgents(provisioning, stores.scim),
      ...(vectors === undefined ? {} : { vectors: vectors.collections }),
      flowFiles: createDiskFlowFiles(join(folder, 'flows')),
      profilePictures: createDiskProfilePictures(join(folder, 'profile_pictures')),
      passwords: await openPasswords(db),
      ...(await quotasOf(settings, db)),
    },
    observe: {
      audit,
      onAudit: trail.logRecord,
      requestHooks,
      ...(spans === undefined ? {} : { hooks: spans.hooks }),
      ...metrics,
      onError,
    },
  })

  warnOfLowLimit(provisioning, settings.SERVICE_RATE_LIMIT ?? 0, log)
  const scim = await createScim(stores.scim, provisioning, {
    log,
    ground,
    secretKey,
    publicUrl,
    fetch: guardedFetch,
    stores,
    requestHooks,
    ...metrics,
  })
  const outbox = startOutbox({
    store: stores.scim.outbox,
    secretKey: provisioning.webhookKey,
    ...(settings.SERVICE_SSRF_ALLOW === undefined ? {} : { privateHosts: { fetch: guardedFetch } }),
    onError,
  })
  const scimAdmin = createScimAdmin({
    provisioning: scim,
    store: stores.scim,
    unmanaged: () => stores.unmanaged(),
    webhooks: outbox.webhooks,
    flow: (request) => engine.handler(request),
    onError,
  })
  const signOn = createSingleSignOn({
    settings,
    engine,
    store: stores.flow,
    scim: scim.service,
    publicUrl,
    secretKey,
    onError,
    record: (facts) => trail.record(facts),
  })
  const surface = createDemoSurface({
    onError,
    requestHooks,
    limits: surfaceLimits(settings),
    ...metrics,
  })
  trail.follow(scim.service)
  const firstStart = await prepareFirstStart(engine, stores.flow, settings)
  if (firstStart.id !== undefined)
    await trail.record({
      action: 'user.created',
      via: 'system',
      targetType: 'user',
      targetId: firstStart.id,
    })
  // Builds of dead processes end or continue now instead of at the next request for one.
  const recovered = engine.jobs.recover()
  recovered.catch(onError)
  const readiness = createReadiness({ database: () => stores.flow.ping(), queue: () => recovered })
  const maintenance = startMaintenance({
    db,
    store: stores.flow,
    audit,
    retentionMs: queue.retention.maxAgeMs,
    sweepUploads: () => engine.services.anonymousUploads.sweep(),
    onError,
  })

  const hostGate = createHostGate(engine.services.status.settings)
  const mounted: MountHandlers<ServerContext>['mounted'] = {
    provisioningAdmin: own(scimAdmin),
    provisioningOAuth: own((request, path, context) => scim.oauth.handle(request, path, context)),
    provisioningSignals: own(scim.signals),
    provisioning: (request, _path, context) => scim.service.handle(request, context),
    portal: own<ServerContext>(scim.servePortal),
    surfaces: (request, _path, context) => surface.handle(request, context),
    console: own((request, path) => consolePage(request, path, editor ? '/console' : '/')),
    apiReference: own(apiPage),
    editor: own(async (request, path) => (await editor?.(request, path)) ?? null),
    signOn: own(signOn),
  }
  const cors = createCors(engine.services.status.settings)
  const handlers: MountHandlers<ServerContext> = {
    mounted,
    rest: (request, context) => engine.handler(request, context),
  }
  const limited = rateLimit.wrap(
    (request, context) => answerMounted(handlers, request, context),
    (request) => cors.headers(request),
  )
  const serve: FetchHandler<ServerContext> = (request, context) => {
    const foreign = hostGate(request, context)
    if (foreign !== undefined) return identified(foreign, context.requestId)
    return limited(request, context)
  }
  const operate = async (request: Request, context: ServerContext): Promise<Response> => {
    const answer =
      pathOf(request.url) === '/metrics'
        ? await counted?.answer(request, context.clientAddress)
        : await readinessAnswer(readiness)
    return answer === undefined ? serve(request, context) : identified(answer, context.requestId)
  }
  const handle: FetchHandler<ServerContext> = (request, context) => {
    const path = pathOf(request.url)
    const refused = refusedByRole(settings, path)
    if (refused !== undefined) return identified(refused, context.requestId)
    // Probes use a pod's address as the host name, which no setting can list.
    const isProbe = path === '/health/ready' && request.method === 'GET'
    return isProbe || path === '/metrics' ? operate(request, context) : serve(request, context)
  }
  const listener = toNodeListener(handle, {
    trustProxy,
    context(message, base): ServerContext {
      const record = requests.recordOf(message)
      // A spread would give each context its own hidden class, which is slow to read.
      const context = Object.assign(base, { requestId: record.requestId })
      requests.remember(context, record)
      return context
    },
    onError: (error, { host }) => onError(error, requests.recordOf(host)),
  })
  return {
    listener: requests.wrap((message, reply) => {
      // Keep-alive clients would otherwise find the connection closed during their next request.
      if (readiness.isStopping) reply.shouldKeepAlive = false
      if (!(scim.enabled && refuseDotted(message, reply))) listener(message, reply)
    }),
    database: kind,
    publicUrl,
    scimEnabled: scim.enabled,
    mcpEnabled: settings.SERVICE_MCP_SERVER !== false,
    firstStart,
    async drain() {
      readiness.stop()
      engine.jobs.pause()
      const { SERVICE_DRAIN_SECONDS: seconds = 0 } = settings
      if (seconds > 0) log('info', 'draining', { seconds })
      await setTimeout(seconds * 1000)
    },
    async finish(timeoutMs) {
      surface.close()
      await engine.jobs.close({ timeoutMs })
    },
    async close() {
      await counted?.close()
      rateLimit.close()
      await maintenance.stop()
      await outbox.stop()
      await engine.close()
      await code.close()
      await scim.close()
      await vectors?.close()
      await db.destroy()
    },
  }
}

/** With PostgreSQL the collections are in the service's database, shared by all processes. */
function vectorDatabase(settings: Settings, folder: string): VectorDatabase | undefined {
  if (isPostgres(settings)) return undefined
  return createVectorDatabase(settings.SERVICE_VECTOR_DIR ?? join(folder, 'vectors'))
}

/** Shown in metrics. */
const SERVICE_VERSION = '0.0.0'
