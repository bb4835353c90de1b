import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { createFlowEngine, type FlowEngine } from '@x/flow-engine'
import {
  createDiskBlobStore,
  createGuardedFetch,
  createScryptHasher,
  createStdioMcp,
} from '@x/flow-engine/node'
import { toNodeListener } from '@x/http-adapters/node'
import { createFlowStore, createJobStore } from '@x/store-kysely/flow'
import { createScimStore } from '@x/store-kysely/scim'
import { consolePage } from './console-page.ts'
import { openDatabase } from './database.ts'
import { prepareFirstStart, type FirstStart } from './first-start.ts'
import type { Log } from './log.ts'
import { providerEnvironment } from './provider-environment.ts'
import { createScim } from './scim.ts'
import { readSecretKey } from './secret-key.ts'
import { toFlowSettings } from './settings/flow-settings.ts'
import type { Settings } from './settings/read-settings.ts'
import { readTrustProxy } from './settings/trust-proxy.ts'
import { createDemoSurface } from './surfaces/demo-surface.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ReferenceServer {
  readonly server: Server
  readonly engine: FlowEngine
  readonly database: string
  readonly scimEnabled: boolean
  readonly firstStart: FirstStart
  /** Waits for what is running, cancels jobs, closes the database. */
  close(): Promise<void>
}

/** Every package of this workspace behind one listener; `listen` is the caller's. */
export async function createReferenceServer(
  settings: Settings,
  environment: Environment,
  log: Log,
): Promise<ReferenceServer> {
  const folder = settings.SERVICE_CONFIG_DIR ?? './data'
  const publicUrl = settings.SERVICE_PUBLIC_URL ?? `http://${settings.HOST}:${settings.PORT}`
  const onError = (error: unknown): void => log('error', String(error), { stack: stackOf(error) })

  const secretKey = readSecretKey(settings.SERVICE_SECRET_KEY, folder)
  const { db, kind } = await openDatabase(settings.SERVICE_DATABASE_URL, folder)
  const stores = { flow: createFlowStore(db), scim: createScimStore(db) }

  const engine = createFlowEngine({
    store: stores.flow,
    files: createDiskBlobStore(join(folder, 'files')),
    jobs: createJobStore(db),
    secretKey,
    passwords: createScryptHasher(),
    settings: toFlowSettings(settings, publicUrl),
    services: {
      environment: providerEnvironment(
        environment,
        settings.SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT,
      ),
      fetch: createGuardedFetch({ allow: settings.SERVICE_SSRF_ALLOW ?? [] }),
      ...(settings.SERVICE_MCP_STDIO === true ? { mcp: createStdioMcp() } : {}),
    },
    queue: queueOptions(settings),
    onError,
  })

  const scim = await createScim(stores.scim, environment, { publicUrl, log })
  const surface = createDemoSurface()
  const firstStart = await prepareFirstStart(engine, stores.flow, settings)

  const handle = async (
    request: Request,
    context: { clientAddress?: string },
  ): Promise<Response> => {
    const path = pathOf(request.url)
    if (path.startsWith('/api/v1/scim')) return scim.service.handle(request, context)
    if (/^\/surfaces\/demo\/(stream|events)$/.test(path)) return surface(request)
    return (await consolePage(request, path)) ?? engine.handler(request, context)
  }
  const listener = toNodeListener(handle, {
    trustProxy: readTrustProxy(settings.SERVICE_TRUST_PROXY ?? []),
    onError: (error) => {
      onError(error)
    },
  })
  const server = createServer({ headersTimeout: 60_000, requestTimeout: 300_000 }, listener)

  return {
    server,
    engine,
    database: kind,
    scimEnabled: scim.enabled,
    firstStart,
    async close() {
      await closeServer(server)
      await engine.close()
      await db.destroy()
    },
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

/** Stops accepting and gives running requests eight seconds. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), 8000)
  await closed
  clearTimeout(patience)
}

const pathOf = (url: string): string => /^[a-z]+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? '/'

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack : undefined
