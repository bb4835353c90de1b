import type { ComponentRegistry } from '../components/registry/registry.ts'
import type { ComponentServices } from '../components/define/services.ts'
import { createFrozenResults } from './frozen-results.ts'
import type { FlowPlan } from '../graph/plan/compile.ts'
import type { FlowJson } from '../graph/flow/flow-json.ts'
import { completeLimits } from '../graph/plan/limits.ts'
import type { BuildJobs, BuildRequest, JobRecord } from '../jobs/build-jobs.ts'
import { createBuildJobs } from '../jobs/create-build-jobs.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import { createModelProviders } from '../models/providers.ts'
import type { FlowEngineOptions } from '../options.ts'
import { resolveMcpOptions } from '../mcp/mcp-options.ts'
import { createChatFlows } from './chat-flows.ts'
import { createMcpProjects } from './mcp-projects.ts'
import { createMcpResources } from './mcp-resources.ts'
import { createMcpTools } from './mcp-tools.ts'
import { createMcpTransport, type McpTransport } from './mcp-transport.ts'
import { createOpenAiService, type OpenAiService } from './openai.ts'
import { createOpenAiResponses, type OpenAiResponsesService } from './openai-responses.ts'
import { createStoredResponses } from './stored-responses.ts'
import { createResponsesService, type ResponsesService } from './responses.ts'
import type { ApiKeyService } from './api-keys.ts'
import { createBuildService, type BuildMetadata, type BuildService } from './builds.ts'
import type { FileService } from './files.ts'
import type { FlowService } from './flows.ts'
import type { ProjectService } from './projects.ts'
import type { UserFileService } from './user-files.ts'
import type { ServiceKit } from './kit.ts'
import { createPendingWrites, type PendingWrites } from './pending-writes.ts'
import { jobLanes } from './job-lanes.ts'
import { createPlanCache } from './plan-cache.ts'
import { createRunPlaces } from './run-places.ts'
import { createRunService, watched, type RunService } from './run-flow.ts'
import { createQuestionService, type QuestionService } from './questions.ts'
import { createRunRecorder } from './run-records.ts'
import type { RunScope } from './run-scope.ts'
import { createRunServices } from './run-services.ts'
import { createUserFileWriter } from './user-file-writer.ts'
import { createSweep } from './sweep.ts'
import type { VariableService } from './variables.ts'
import { createVisitorFiles } from './visitor-files.ts'
import { createVisitorMessages } from './visitor-messages.ts'
import { createVisitorQueue } from './visitor-queue.ts'
import { createVertexService, type VertexService } from './vertices.ts'
import { createWebhookService, type WebhookService } from './webhooks.ts'

/** Everything that runs flows. */
export interface RunningServices {
  readonly builds: BuildService
  readonly questions: QuestionService
  readonly vertices: VertexService
  readonly runs: RunService
  readonly webhooks: WebhookService
  readonly responses: ResponsesService
  readonly openAi: OpenAiService
  readonly openAiResponses: OpenAiResponsesService
  readonly mcp: McpTransport
}

export interface RunningOptions {
  readonly kit: ServiceKit
  readonly components: ComponentRegistry
  readonly options: FlowEngineOptions
  readonly flows: FlowService
  readonly variables: VariableService
  readonly apiKeys: ApiKeyService
  readonly projects: ProjectService
  readonly files: FileService
  readonly userFiles: UserFileService
}

export interface Running {
  readonly services: RunningServices
  readonly jobs: BuildJobs
  /** Stops the builds of these flows, or of this user, that were started in this process. */
  cancelBuilds(of: { flowIds?: readonly string[]; userId?: string }): Promise<void>
  close(): Promise<void>
}

export function createRunning({ kit, components, options, ...others }: RunningOptions): Running {
  const { flows, variables, apiKeys, projects, files, userFiles } = others
  const { store, settings, runtime, report } = kit
  const cache = options.cache ?? createFrozenResults(kit)
  const limits = completeLimits({
    textLength: settings.maxTextLength,
    items: settings.maxItemsLength,
    ...options.limits,
  })
  const customCode = options.services?.codeRunner
  const plans = createPlanCache(components, limits, customCode)
  const injected: Partial<ComponentServices> = {
    ...options.services,
    models:
      options.services?.models ??
      options.models ??
      createModelProviders({ services: outgoingOf(options), runtime }),
  }
  const written = {
    userFiles: createUserFileWriter(kit),
    visitorFiles: createVisitorFiles(kit),
    visitorMessages: createVisitorMessages(kit),
  }
  const servicesOf = (scope: RunScope): ComponentServices =>
    createRunServices({ ...kit, ...written, variables, injected }, scope)
  const writer = kit.records
  const records = { writer, settings, runtime, eventBytes: limits.eventBytes }
  const messages = new WeakMap<BuildRequest, PendingWrites>()
  const pendingOf = (request: BuildRequest): PendingWrites => {
    const pending = messages.get(request) ?? createPendingWrites()
    messages.set(request, pending)
    return pending
  }
  const sweep = createSweep({ ...kit, records: writer })
  const visitors = createVisitorQueue(() => jobs)
  const { concurrency = 8 } = options.queue ?? {}
  const open = new Map<string, OpenJob>()

  const jobStore = options.jobs ?? createMemoryJobStore()
  const jobs = createBuildJobs({
    components,
    cache,
    runtime,
    limits,
    store: jobStore,
    ...options.queue,
    lanes: jobLanes(concurrency, settings),
    secrets: kit.secrets,
    authorize: mayGoOn(store),
    servicesOf: (request) =>
      servicesOf({
        ...metadataOf(request),
        runFlowId: request.flowId,
        pending: pendingOf(request),
      }),
    observer: {
      started(job) {
        visitors.left(job.id)
        kit.emit('job.started', { ...noticeOf(job), at: runtime.now() })
      },
      recorder(job, request) {
        const { storedFlowId } = metadataOf(request)
        open.set(job.id, { flowId: storedFlowId, userId: job.userId })
        const { ownerId, isPublic } = metadataOf(request)
        const recorder = createRunRecorder(records, {
          flowId: job.flowId,
          ownerId: isPublic ? null : ownerId,
          flow: flowOf(request),
          form: metadataOf(request).form ?? 'build',
          builds: metadataOf(request).logBuilds,
        })
        return {
          inputs: (vertex, values) => recorder?.inputs(vertex, values),
          built: (build) => recorder?.built(build),
          async watch(run) {
            try {
              await watched(run, recorder)
              await pendingOf(request).settled()
            } finally {
              sweep.after(metadataOf(request).storedFlowId, job.flowId)
            }
          },
        }
      },
      finished(job) {
        visitors.left(job.id)
        open.delete(job.id)
        kit.emit('job.finished', { ...noticeOf(job), at: runtime.now(), state: job.state })
      },
    },
    onError: (error, info) => report(error, info),
  })
  const base = { cache, limits, runtime }
  const runs = createRunService({
    flows,
    plans,
    servicesOf,
    recorderOf: ({ id, userId }, { flow }) =>
      createRunRecorder(records, { flowId: id, ownerId: userId, flow, form: 'run', builds: true }),
    base,
    bySession: settings.agenticExperience,
    sweep,
  })

  const chatFlows = createChatFlows(flows, plans)
  const openAiSettings = options.openai === false ? {} : (options.openai ?? {})
  const openAiOptions = {
    chatFlows,
    flows: store.flows,
    runs,
    runtime,
    report,
    places: createRunPlaces(openAiSettings.maxRuns ?? 256),
    files,
    userFiles,
  }
  const openAi = createOpenAiService(openAiOptions)
  const mcpOptions = resolveMcpOptions(options.mcp === false ? {} : options.mcp)
  const tools = createMcpTools(store.flows, plans, mcpOptions)
  const resources = createMcpResources({
    files: kit.files,
    userFiles,
    maxBytes: mcpOptions.maxResourceBytes,
  })
  const mcp = createMcpTransport(
    kit,
    createMcpProjects({ ...kit, projects, tools, resources, runs, settings: mcpOptions }),
    mcpOptions,
  )

  return {
    jobs,
    services: {
      questions: createQuestionService({ jobs, store }),
      builds: createBuildService({
        store,
        jobs,
        plans,
        components,
        visitors,
        publicTimeoutMs: settings.publicBuildSeconds * 1000,
      }),
      vertices: createVertexService({
        store,
        components,
        customCode,
        plans,
        servicesOf,
        recorderOf: ({ flowId, ownerId }, { flow }) =>
          createRunRecorder(records, { flowId, ownerId, flow, form: 'build', builds: true }),
        base,
        sweep,
        uuid: () => runtime.uuid(),
      }),
      runs,
      responses: createResponsesService({
        chatFlows,
        runs,
        runtime,
        statusCodes: options.responses?.statusCodes ?? false,
      }),
      openAi,
      openAiResponses: createOpenAiResponses({
        ...openAiOptions,
        openAi,
        stored: createStoredResponses({
          store: jobStore,
          runtime,
          retention: options.queue?.retention,
        }),
        store: openAiSettings.store ?? true,
      }),
      mcp,
      webhooks: createWebhookService({ store, settings, flows, plans, jobs, apiKeys }),
    },
    async cancelBuilds({ flowIds = [], userId }) {
      if (userId !== undefined) mcp.closeUser(userId)
      const hit = [...open].filter(
        ([, job]) =>
          flowIds.includes(job.flowId) || (userId !== undefined && job.userId === userId),
      )
      const asking = userId === undefined ? flowIds.map((flowId) => ({ flowId })) : [{ userId }]
      const ids = new Set(hit.map(([id]) => id))
      for (const query of asking) for (const id of await askingJobs(jobs, query)) ids.add(id)
      await Promise.all([...ids].map((id) => jobs.cancel(id).catch(() => undefined)))
    },
    async close() {
      mcp.close()
      await jobs.close()
      await sweep.settled()
      await writer.flush()
    },
  }
}

/** A job goes on while its owner is active and has the flow (DR-37); one without an owner always. */
function mayGoOn({ users, flows }: ServiceKit['store']) {
  return async ({ userId, flowId }: JobRecord): Promise<boolean> => {
    if (userId === undefined) return true
    const [owner, flow] = await Promise.all([users.get(userId), flows.get(flowId)])
    return owner?.isActive === true && flow?.userId === userId
  }
}

/** Suspended jobs with a question, whatever process started them. */
async function askingJobs(
  jobs: BuildJobs,
  query: { readonly flowId?: string; readonly userId?: string },
): Promise<string[]> {
  const ids: string[] = []
  const limit = 1000
  for (;;) {
    const after = ids.at(-1)
    const page = await jobs.pending({ ...query, limit, ...(after === undefined ? {} : { after }) })
    ids.push(...page.map(({ jobId }) => jobId))
    if (page.length < limit) return ids
  }
}

/** A job that runs here: the stored flow, which a public build does not run under, and its owner. */
interface OpenJob {
  readonly flowId: string
  readonly userId: string | undefined
}

/** What model clients need: the guarded fetch, and the addresses that the environment names. */
function outgoingOf({ services }: FlowEngineOptions): ComponentServices {
  const { environment, fetch } = services ?? {}
  return { ...(environment && { environment }), ...(fetch && { fetch }) }
}

function flowOf({ flow }: BuildRequest): FlowJson {
  return 'vertexIds' in flow ? (flow as FlowPlan).flow : flow
}

function metadataOf({ metadata }: BuildRequest): BuildMetadata {
  return metadata as unknown as BuildMetadata
}

function noticeOf({ id, flowId, userId }: JobRecord) {
  return { id, flowId, ...(userId === undefined ? {} : { userId }) }
}
