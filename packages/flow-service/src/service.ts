import {
  createSystemRuntime,
  joinRequestHooks,
  requestMetrics,
  secretBytes,
  withoutRepeatedSchemaErrors,
  type EventSource,
} from '@x/wire'
import { openStreams } from '@x/wire'
import { builtinComponents } from '@x/flow-components'
import { customComponent } from './services/catalogue/custom-component.ts'
import {
  createRegistry,
  type ChatModel,
  type ComponentRegistry,
  type ModelProviders,
} from '@x/flow-engine'
import { createFlowEvents, type FlowEvents } from './events.ts'
import { createAuthenticate } from './http/access/authenticate.ts'
import { createCallerRevalidation } from './http/access/sender.ts'
import { createHandler } from './http/handler.ts'
import { createDescriptionRoutes } from './http/openapi/description-route.ts'
import {
  A2A_GROUP,
  AG_UI_GROUP,
  AI_SDK_GROUP,
  MCP_GROUP,
  OPENAI_GROUP,
  routeGroups,
} from './http/routes/index.ts'
import { createOpenApi } from './http/openapi/openapi.ts'
import type { BuildJobs } from '@x/flow-engine'
import { createMemoryBases } from '@x/flow-engine/memory'
import { outgoingFetch } from '@x/flow-engine/internal'
import { isChatModel } from '@x/flow-engine/models'
import type { FlowEngineOptions, HostContext, StoredEngineOptions } from './options.ts'
import { createCoreServices } from './services/core-services.ts'
import type { ServiceDependencies } from './services/base/dependencies.ts'
import { removeFilesOf } from './services/files/remove-files.ts'
import { createRecordWriter } from './services/records/record-writer.ts'
import { createSecretBox } from './services/crypto/secret-box.ts'
import { createExecutionServices } from './services/execution-services.ts'
import type { FlowServices } from './services/services.ts'
import { UnreadableSecretsError } from './services/flows/unreadable-secrets.ts'
import { createTokens } from './services/crypto/tokens.ts'
import { createUserLimits } from './services/limits/user-limits.ts'
import type { AuditRecord } from './store/audit.ts'
import type { UserChange } from './store/users.ts'
import { readServiceOptions, type ReadServiceOptions } from './read-options.ts'
import type { FlowServiceOptions } from './service-options.ts'
import { resolveSettings } from './settings.ts'

/** An in-process flow service. */
export interface FlowServiceInstance {
  /** The HTTP API as a fetch handler; never rejects. */
  readonly handler: (request: Request, context?: HostContext) => Promise<Response>
  /** The same operations without HTTP. */
  readonly services: FlowServices
  readonly events: EventSource<FlowEvents>
  readonly jobs: BuildJobs
  /**
   * Call this after committing user writes that bypass the engine but share its store. It emits the
   * notifications and stops the builds of a user who may no longer run them.
   */
  userWritten(change: UserChange): void
  /** The OpenAPI 3.1 document of the API. */
  openapi(): object
  /** Stops running builds and flushes pending writes. */
  close(): Promise<void>
}

/**
 * Creates a flow service over the given storage.
 * @throws OptionError, a TypeError, for a wrong or unknown option, and for settings that contradict each other
 */
export function createFlowService(
  given: FlowServiceOptions | FlowEngineOptions,
): FlowServiceInstance {
  const read = readServiceOptions('createFlowService', given)
  const options = withOutgoingFetch(read.options)
  const components = withCustomComponent(options.components ?? createRegistry(builtinComponents))
  const { deps, events } = createDependencies({ ...read, options }, components, (of) =>
    running.cancelBuilds(of),
  )
  const core = createCoreServices(deps, options)
  const { vectors } = options.services ?? {}
  const injected = {
    memories: createMemoryBases(vectors === undefined ? {} : { vectors }),
    ...options.services,
    mcp: core.mcpServers.connector,
  }
  const running = createExecutionServices({
    deps,
    components,
    options: { ...options, services: injected },
    ...core,
  })
  const services: FlowServices = { ...core, ...running.services }
  const authenticate = createAuthenticate(deps, services, options.authenticate)
  const { settings, report } = deps
  const groups = routeGroups.filter(
    ({ name }) =>
      (options.openai !== false || name !== OPENAI_GROUP) &&
      (options.mcp !== false || name !== MCP_GROUP) &&
      (options.aiSdk !== false || name !== AI_SDK_GROUP) &&
      (options.agUi !== false || name !== AG_UI_GROUP) &&
      (options.a2a !== false || name !== A2A_GROUP),
  )
  const routes = groups.flatMap((group) => group.routes)
  const table = [...routes, ...createDescriptionRoutes(groups, settings)]
  const writeAudit = auditWriter(options, report)
  events.on('apiKey.firstUsed', ({ at, id, userId = null }) => {
    void writeAudit?.({
      id: deps.runtime.uuid(),
      at,
      action: 'api_key.first_used',
      outcome: 'ok',
      actorId: userId,
      via: 'key',
      targetType: 'api_key',
      targetId: id,
      requestId: null,
      clientAddress: null,
      details: {},
    })
  })
  const closing = new AbortController()
  if (given.jobs === undefined && options.jobs === undefined && isSqlStore(options.store))
    report(new Error('Jobs are kept in memory: pass jobs: createJobStore(db) to keep them.'))
  warnOfUnreadable(services.secrets, closing.signal, report)
  return {
    handler: createHandler({
      routes: table,
      services,
      settings,
      authenticate,
      callerRevalidation: createCallerRevalidation(options),
      runtime: deps.runtime,
      openAi: options.openai !== false,
      audit: writeAudit,
      hooks: joinRequestHooks([
        options.requestHooks,
        options.metrics && requestMetrics(options.metrics, 'flow', openStreams),
      ]),
      report,
    }),
    services,
    events,
    jobs: running.jobs,
    userWritten: (change) => userWritten(deps, change),
    openapi: () => createOpenApi(groups),
    async close() {
      closing.abort()
      await running.close()
      await services.apiKeys.flush()
    },
  }
}

/** @deprecated Renamed to `createFlowService`. */
export function createFlowEngine(given: FlowEngineOptions): FlowServiceInstance {
  return createFlowService(given)
}

/** @deprecated Renamed to `FlowServiceInstance`. */
export type FlowEngine = FlowServiceInstance

/** One `fetch` for runs, models, refreshes and tool servers. */
function withOutgoingFetch(options: StoredEngineOptions): StoredEngineOptions {
  const { services = {}, ssrfAllow, models } = options
  const fetch = outgoingFetch(services, { allow: ssrfAllow })
  return {
    ...options,
    services: { ...services, fetch },
    ...(isChatModel(models) && { models: alone(models) }),
  }
}

/** A chat model for everything, and no embedding model. */
function alone(model: ChatModel): ModelProviders {
  return {
    chatModel: () => model,
    embedder() {
      throw new TypeError('No embedding model is given: pass models as { chatModel, embedder }')
    },
  }
}

/** The editor always offers the template of a new component, so it must be runnable like any other. */
function withCustomComponent(components: ComponentRegistry): ComponentRegistry {
  const known = components.get(customComponent.type) !== undefined
  return known ? components : components.extend([customComponent])
}

/** Values that no key opens are told once, without delaying anything. */
function warnOfUnreadable(
  secrets: FlowServices['secrets'],
  signal: AbortSignal,
  report: ServiceDependencies['report'],
): void {
  const look = async (): Promise<void> => {
    const values = await secrets.unreadable(signal)
    if (values.length > 0 && !signal.aborted) report(new UnreadableSecretsError(values))
  }
  // A store that does not answer is told by the requests that need it.
  look().catch(() => undefined)
}

/** What the stores of `@x/store-kysely` are marked with. */
const SQL_STORE = Symbol.for('@x/sql-flow-store')
const isSqlStore = (store: object): boolean => SQL_STORE in store

const NOTICES = {
  create: 'user.created',
  update: 'user.updated',
  deactivate: 'user.deactivated',
  reactivate: 'user.updated',
  remove: 'user.deleted',
} as const

function userWritten(deps: ServiceDependencies, change: UserChange): void {
  const { emit, runtime, cancelBuilds, report, store, vectors } = deps
  const id = (change.after ?? change.before)?.id
  if (id === undefined) return
  emit(NOTICES[change.kind], { at: runtime.now(), userId: id, id })
  if (change.kind !== 'deactivate' && change.kind !== 'remove') return
  const follow = async (): Promise<void> => {
    await cancelBuilds({ userId: id, isRemoved: change.kind === 'remove' })
    if (change.kind !== 'remove') return
    // Removes records that were added while the user was removed.
    await store.users.remove(id)
    await removeFilesOf(deps, { userId: id, flowIds: change.flowIds ?? [] })
  }
  follow().catch((error: unknown) => report(error))
  if (change.kind !== 'remove' || vectors === store.collections) return
  vectors.removeOfUser(id).catch((error: unknown) => report(error))
}

function createDependencies(
  { options, written }: ReadServiceOptions,
  components: ServiceDependencies['components'],
  cancelBuilds: ServiceDependencies['cancelBuilds'],
): {
  deps: ServiceDependencies
  events: EventSource<FlowEvents>
} {
  const runtime = options.runtime ?? createSystemRuntime()
  const secretKeys = secretBytes(options.secretKey)
  const report = withoutRepeatedSchemaErrors<ServiceDependencies['report']>(
    (error, info = {}) => {
      if (options.onError === undefined) writeToConsole(error, info)
      else options.onError(error, info)
    },
    () => runtime.now(),
  )
  const { source, emit } = createFlowEvents(report)
  const { basePath } = options
  const settings = resolveSettings(
    { ...options.settings, ...(basePath !== undefined && { basePath }) },
    written,
  )
  if (settings.maxStoredMbPerUser > 0 && options.store.counts.fileBytes === undefined)
    throw new TypeError('maxStoredMbPerUser needs a store with counts.fileBytes')
  const removeLeft = async (userId: string): Promise<void> => {
    await options.store.users.remove(userId)
    await removeFilesOf(deps, { userId, flowIds: [] })
  }
  const deps: ServiceDependencies = {
    store: options.store,
    files: options.files,
    vectors: options.vectors ?? options.store.collections,
    components,
    runtime,
    settings,
    secrets: options.secrets ?? createSecretBox(secretKeys, runtime),
    tokens: createTokens(secretKeys, runtime),
    passwords: options.passwords,
    flowFiles: options.flowFiles,
    records: createRecordWriter({ store: options.store, settings, runtime, report }),
    userLimits: createUserLimits({ store: options.store, settings, runtime, removeLeft, report }),
    emit,
    audit: options.audit,
    report,
    agents: options.agents,
    cancelBuilds,
  }
  return { deps, events: source }
}

/** Stores audit records and notifies the host. Failures are reported without failing the request. */
function auditWriter(
  { audit, onAudit }: FlowEngineOptions,
  report: ServiceDependencies['report'],
): ((record: AuditRecord) => Promise<void>) | undefined {
  if (audit === undefined && onAudit === undefined) return undefined
  return async (record) => {
    const { requestId } = record
    const failed = (error: unknown): void => report(error, { requestId })
    await audit?.append([record]).catch(failed)
    try {
      await onAudit?.(record)
    } catch (error) {
      failed(error)
    }
  }
}

/** Without `onError` failures are still logged. */
function writeToConsole(error: unknown, { requestId }: { readonly requestId?: unknown }): void {
  const what = typeof requestId === 'string' ? `Request ${requestId} failed` : 'Flow service'
  // oxlint-disable-next-line no-console -- the last resort of a host without `onError`
  console.error(`${what}:`, error)
}
