import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { createFlowEngine, createHostGate, type McpOptions } from '@x/flow-engine'
import {
  createDiskBlobStore,
  createDiskFlowFiles,
  createDiskProfilePictures,
  createGuardedFetch,
  createJsonQueries,
  createScryptHasher,
  createStdioMcp,
} from '@x/flow-engine/node'
import { toNodeListener } from '@x/http-adapters/node'
import { createJobStore } from '@x/store-kysely/flow'
import { createSqlConnections } from '@x/store-kysely/connections'
import { linkUsers } from '@x/store-kysely/link'
import { createCodeRunnersOf } from './code-runners.ts'
import { consolePage } from './console-page.ts'
import { openDatabase } from './database.ts'
import { createEditorPage } from './editor-page.ts'
import { createFinanceSource } from './finance-source.ts'
import { prepareFirstStart, type FirstStart } from './first-start.ts'
import type { Log } from './log.ts'
import { startMaintenance } from './maintenance.ts'
import { providerEnvironment } from './provider-environment.ts'
import { createScim, readProvisioning } from './scim.ts'
import { withRequestLog } from './request-log.ts'
import { readSecretKey } from './secret-key.ts'
import { readPublicUrl, toFlowSettings } from './settings/flow-settings.ts'
import type { Settings } from './settings/read-settings.ts'
import { readTrustProxy } from './settings/trust-proxy.ts'
import { createSingleSignOn } from './single-sign-on.ts'
import { keepHeapSmall } from './small-heap.ts'
import { createDemoSurface } from './surfaces/demo-surface.ts'
import { createVectorDatabase, type VectorDatabase } from './vector-database.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ReferenceServer {
  readonly listener: RequestListener
  readonly database: string
  readonly scimEnabled: boolean
  readonly firstStart: FirstStart
  /** Ends the streams of surfaces, takes no new jobs and gives running ones `patienceMs`. */
  finish(patienceMs: number): Promise<void>
  /** Stores what is still in memory and closes the database. */
  close(): Promise<void>
}

/** Where the server listens, and where it writes what happens. */
interface Surroundings {
  /** `http://HOST:PORT`, the base of absolute addresses where SERVICE_PUBLIC_URL gives no other. */
  readonly url: string
  readonly log: Log
}

/**
 * Every package of this workspace behind one listener.
 * @throws SettingsError, TypeError for settings that cannot be used
 */
export async function createReferenceServer(
  settings: Settings,
  environment: Environment,
  { url, log }: Surroundings,
): Promise<ReferenceServer> {
  keepHeapSmall()
  const folder = settings.SERVICE_CONFIG_DIR ?? './data'
  const publicUrl = readPublicUrl(settings.SERVICE_PUBLIC_URL) ?? url
  const onError = (error: unknown): void => log('error', String(error), { stack: stackOf(error) })

  // Everything that can be refused is read before anything is made.
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
  const secretKey = readSecretKey(settings.SERVICE_SECRET_KEY, folder)
  const { db, kind } = await openDatabase(settings.SERVICE_DATABASE_URL, folder)
  const stores = linkUsers(db, {
    adoptUsers: provisioning.adoptUsers,
    onFlowUserWrite: (change) => engine.userWritten(change),
    onMembersLeft: (change) => scim.service.announceMembers(change),
  })

  const vectors = vectorDatabase(settings, folder)
  const queue = queueOptions(settings)
  const guardedFetch = createGuardedFetch({ allow: settings.SERVICE_SSRF_ALLOW ?? [] })
  const engine = createFlowEngine({
    store: stores.flow,
    files: createDiskBlobStore(join(folder, 'files')),
    ...(vectors === undefined ? {} : { vectors: vectors.collections }),
    flowFiles: createDiskFlowFiles(join(folder, 'flows')),
    profilePictures: createDiskProfilePictures(join(folder, 'profile_pictures')),
    jobs: createJobStore(db),
    secretKey,
    passwords: createScryptHasher(),
    settings: flowSettings,
    services: {
      environment: providerEnvironment(
        environment,
        settings.SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT,
      ),
      fetch: guardedFetch,
      crawlBytes: (settings.SERVICE_MAX_CRAWL_MB ?? 64) * 1024 * 1024,
      jsonQueries: createJsonQueries(),
      sql,
      finance: createFinanceSource(settings.SERVICE_FINANCE_URL),
      ...(settings.SERVICE_MCP_STDIO === true
        ? { mcp: createStdioMcp({ ...stdioCommands(settings), fetch: guardedFetch }) }
        : {}),
      ...(code.runner === undefined ? {} : { codeRunner: code.runner }),
    },
    queue,
    ...(settings.SERVICE_OPENAI_API === false ? { openai: false } : {}),
    mcp: mcpOptions(settings),
    onError,
  })

  const scim = await createScim(stores.scim, provisioning, log)
  const signOn = createSingleSignOn({
    settings,
    engine,
    store: stores.flow,
    scim: scim.service,
    publicUrl,
    secretKey,
    onError,
  })
  const surface = createDemoSurface()
  const firstStart = await prepareFirstStart(engine, stores.flow, settings)
  // Builds of a process that died end or go on now, not when somebody asks for one.
  engine.jobs.recover().catch(onError)
  const maintenance = startMaintenance({
    db,
    store: stores.flow,
    retentionMs: queue.retention.maxAgeMs,
    sweepUploads: () => engine.services.strangerFiles.sweep(),
    onError,
  })

  const hostGate = createHostGate(engine.services.status.settings)
  const handle = async (
    request: Request,
    context: { clientAddress?: string; hostMissing?: true },
  ): Promise<Response> => {
    const foreign = hostGate(request, context)
    if (foreign !== undefined) return foreign
    const path = pathOf(request.url)
    if (/^\/api\/v1\/scim(\/|$)/.test(path)) return scim.service.handle(request, context)
    if (/^\/surfaces\/demo\/(stream|events)$/.test(path)) return surface.handle(request)
    return (
      (await consolePage(request, path, editor === undefined ? '/' : '/console')) ??
      (await editor?.(request, path)) ??
      (await signOn(request, path)) ??
      engine.handler(request, context)
    )
  }
  const listener = toNodeListener(handle, {
    trustProxy,
    onError: (error) => onError(error),
  })

  return {
    listener: withRequestLog(listener, log),
    database: kind,
    scimEnabled: scim.enabled,
    firstStart,
    async finish(timeoutMs) {
      surface.close()
      await engine.jobs.close({ timeoutMs })
    },
    async close() {
      await maintenance.stop()
      await engine.close()
      await code.close()
      await scim.close()
      await vectors?.close()
      await db.destroy()
    },
  }
}

/** With PostgreSQL the collections lie in the service's database, where every process sees them. */
function vectorDatabase(settings: Settings, folder: string): VectorDatabase | undefined {
  if (settings.SERVICE_DATABASE_URL?.startsWith('postgres') === true) return undefined
  return createVectorDatabase(settings.SERVICE_VECTOR_DIR ?? join(folder, 'vectors'))
}

function stdioCommands({ SERVICE_MCP_STDIO_COMMANDS: commands = [] }: Settings) {
  return { commands, setting: 'SERVICE_MCP_STDIO_COMMANDS' }
}

function mcpOptions(settings: Settings): McpOptions | false {
  if (settings.SERVICE_MCP_SERVER === false) return false
  const { SERVICE_MCP_CALL_TIMEOUT_MS: callTimeoutMs = 300_000 } = settings
  return {
    sse: settings.SERVICE_MCP_SSE !== false,
    anonymous: settings.SERVICE_MCP_ANONYMOUS === true,
    callTimeoutMs,
  }
}

function queueOptions(settings: Settings) {
  const { SERVICE_MAX_CONCURRENT_BUILDS: all, SERVICE_MAX_BUILDS_PER_USER: perUser } = settings
  return {
    ...(all === undefined ? {} : { concurrency: all }),
    ...(perUser === undefined ? {} : { concurrencyPerUser: perUser }),
    maxQueued: settings.SERVICE_MAX_QUEUED_BUILDS ?? 1000,
    retention: {
      maxAgeMs: (settings.SERVICE_JOB_RETENTION_HOURS ?? 24) * 3_600_000,
      maxJobs: settings.SERVICE_JOB_RETENTION_COUNT ?? 1000,
    },
  }
}

const pathOf = (url: string): string => /^[a-z]+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? '/'

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack : undefined
