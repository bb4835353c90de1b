import type { ComponentServices } from '@x/flow-engine'
import { createDoorServices } from './doors/doors.ts'
import { jobNotice } from './runs/job-notice.ts'
import { outgoingServices } from './runs/outgoing-services.ts'
import { createFleetService } from './runs/fleet.ts'
import { createFrozenResults } from './runs/frozen-results.ts'
import { completeLimits, tighterBudget } from '@x/flow-engine/internal'
import { createBuildJobs, createLateStore } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createModelProviders } from '@x/flow-engine/models'
import { createAskingTools } from '../mcp/asking-tools.ts'
import { resolveMcpOptions } from '../mcp/mcp-options.ts'
import { createChatFlows } from './answers/chat-flows.ts'
import { createMcpProjects } from './mcp/mcp-projects.ts'
import { createMcpResources } from './mcp/mcp-resources.ts'
import { createSiblingProjects } from './mcp/sibling-projects.ts'
import { createMcpTools } from './mcp/mcp-tools.ts'
import { createMcpTransport } from './mcp/mcp-transport.ts'
import { createOpenAiService } from './openai/chat-completions.ts'
import { createAnnounceAnswer } from './answers/announce-answer.ts'
import { resolveOpenAiOptions } from './openai/openai-options.ts'
import { createBackgroundResponses } from './openai/background-responses.ts'
import { withEarlierTurns } from './runs/earlier-turns.ts'
import { createOpenAiResponses } from './openai/openai-responses.ts'
import { createStoredResponses } from './openai/stored-responses.ts'
import { createResponsesService } from './answers/responses.ts'
import { createBuildService } from './builds/builds.ts'
import { flowOf, metadataOf } from './runs/build-metadata.ts'
import { isAuthorizedToResume } from './builds/is-authorized-to-resume.ts'
import { createPendingByRequest } from './runs/write-tracker.ts'
import { queueLimits } from './runs/queue-limits.ts'
import { createOnceJobs, onceAnswer } from './runs/once.ts'
import { createPlanCache } from './runs/plan-cache.ts'
import { OpenAiRefusal } from './openai/openai-refusal.ts'
import { createAdmission } from './runs/admission.ts'
import { createRunEvents } from './runs/run-events.ts'
import { createRunOwners } from './runs/run-owners.ts'
import { createRunSlots } from './runs/run-slots.ts'
import { createRunQuota } from './runs/run-quota.ts'
import { createRunService } from './runs/run-service.ts'
import { createRunner, watched } from './runs/runner.ts'
import { createQuestionService } from './runs/questions.ts'
import { joinRunHooks } from './runs/join-run-hooks.ts'
import { spendingOf } from './runs/spending-of.ts'
import { executionMetrics } from './runs/run-metrics.ts'
import { createRunRecorder } from './runs/run-records.ts'
import { createTraceService } from './runs/traces.ts'
import { createServicesOfRuns } from './runs/component-services.ts'
import { createUserFileWriter } from './files/user-file-writer.ts'
import { createOrphanCleanup } from './runs/sweep.ts'
import { createVisitorFiles } from './files/visitor-files.ts'
import { createVisitorMessages } from './runs/visitor-messages.ts'
import { createVisitorQueue } from './builds/visitor-queue.ts'
import { createVertexService } from './builds/vertices.ts'
import { createWebhookService } from './builds/webhooks.ts'
import type { ExecutionServicesOptions, FlowExecution } from './execution-types.ts'

export function createExecutionServices({
  deps,
  components,
  options,
  ...others
}: ExecutionServicesOptions): FlowExecution {
  const { flows, versions, variables, apiKeys, projects, files, userFiles, mcpServers } = others
  const { budgets } = others
  const { store, settings, runtime, report } = deps
  const cache = options.cache ?? createFrozenResults(deps)
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
      createModelProviders({ services: outgoingServices(options), runtime }),
  }
  const written = {
    userFiles: createUserFileWriter(deps),
    visitorFiles: createVisitorFiles(deps),
    visitorMessages: createVisitorMessages(deps),
  }
  const servicesOf = createServicesOfRuns({ ...deps, ...written, budgets, variables, injected })
  const writer = deps.records
  const records = { writer, settings, runtime, eventBytes: limits.eventBytes }
  const pendingOf = createPendingByRequest()
  const sweep = createOrphanCleanup({ ...deps, records: writer })
  const visitors = createVisitorQueue(() => jobs)
  const { concurrency = 8, leaseMs = 15_000 } = options.queue ?? {}
  const jobStore = createLateStore(options.jobs ?? createMemoryJobStore(), runtime)
  const counted = options.metrics && executionMetrics(options.metrics, jobStore.queue, leaseMs)
  // Counting comes first, so that an error in a host hook does not prevent it.
  const hooks = joinRunHooks([counted?.hooks, options.hooks])
  const announced = createRunEvents(deps.emit, runtime)
  const base = { cache, limits, runtime, ...spendingOf(options), ...(hooks && { hooks }) }
  const jobs = createBuildJobs({
    components,
    ...base,
    hooks: joinRunHooks([announced.jobHooks, hooks]) ?? {},
    budget: (request) => tighterBudget(base.budget, budgets.ofRun(metadataOf(request).ownerId)),
    store: jobStore,
    ...options.queue,
    lanes: queueLimits(concurrency, settings),
    secrets: deps.secrets,
    authorize: isAuthorizedToResume(store),
    servicesOf(request, storing) {
      const { earlier = [], ...metadata } = metadataOf(request)
      const pending = pendingOf(request, storing)
      const scope = { runFlowId: request.flowId, pending, ...metadata }
      return withEarlierTurns(servicesOf(scope), earlier, runtime)
    },
    observer: {
      started(job) {
        visitors.left(job.id)
        counted?.started(job)
        deps.emit('job.started', { at: runtime.now(), ...jobNotice(job) })
      },
      recorder(job, request) {
        doors.continued(job.id, request)
        const { ownerId, isPublic, door, form = 'build', logBuilds } = metadataOf(request)
        announced.jobStarts(job.id, door)
        const recorder = createRunRecorder(records, {
          flowId: job.flowId,
          ownerId: isPublic ? null : ownerId,
          flow: flowOf(request),
          form,
          builds: logBuilds,
        })
        return {
          answer: (result) => onceAnswer(metadataOf(request), result),
          inputs: (vertex, values) => recorder?.inputs(vertex, values),
          built: (build) => recorder?.built(build),
          async watch(run) {
            try {
              await watched(run, recorder)
              await pendingOf(request).written()
              await background.keep(request, run)
            } finally {
              sweep.after(metadataOf(request).storedFlowId, job.flowId)
            }
          },
        }
      },
      finished(job) {
        visitors.left(job.id)
        counted?.finished(job)
        announced.jobFinished(job)
        deps.emit('job.finished', { at: runtime.now(), state: job.state, ...jobNotice(job) })
      },
    },
    onError: (error, info) => report(error, info),
  })
  const left = (id: string): void => visitors.left(id)
  const userGone = (id: string): void => mcp.closeUser(id)
  const owners = createRunOwners({ jobs, store: jobStore, left, userGone })
  const runner = createRunner({
    admission: createAdmission({
      places: createRunSlots(settings.maxRunsPerUser),
      quota: createRunQuota({ settings, runtime, store: options.quotas }),
    }),
    jobs,
    owners,
    servicesOf,
    budgets,
    recorderOf: ({ owner: { flowId, userId: ownerId }, plan: { flow }, records: form }) =>
      createRunRecorder(records, {
        flowId,
        ownerId,
        flow,
        form,
        builds: true,
        trace: form === 'run',
      }),
    base,
    sweep,
    announced: announced.hooksOf,
    report: (error) => report(error),
  })
  const onceJobs = createOnceJobs({ jobs, runner, queue: jobStore.queue })
  const runs = createRunService({
    runner,
    jobs,
    onceJobs,
    flows,
    versions,
    plans,
    runtime,
    bySession: settings.agenticExperience,
  })
  const stored = createStoredResponses({
    store: jobStore,
    runtime,
    retention: options.queue?.retention,
  })
  const background = createBackgroundResponses({ ...deps, jobs, runner, stored })
  const chatFlows = createChatFlows(flows, plans)
  const openAiSettings = resolveOpenAiOptions(options.openai === false ? {} : options.openai)
  const run = { deps, options, chatFlows, servicesOf, files }
  const doors = createDoorServices({ ...run, jobs, runner, store: jobStore, visitors })
  const announce = createAnnounceAnswer(deps.emit, runtime)
  const openAiOptions = {
    chatFlows,
    flows: store.flows,
    runs,
    runtime,
    report,
    places: createRunSlots(
      openAiSettings.maxRuns,
      (message) => new OpenAiRefusal(429, { code: 'rate_limit_exceeded', message }),
    ),
    timeoutMs: openAiSettings.timeoutMs,
    announce,
    fetch: openAiSettings.fetchUrls ? injected.fetch : undefined,
    files,
    userFiles,
  }
  const openAi = createOpenAiService(openAiOptions)
  const mcpOptions = resolveMcpOptions(options.mcp === false ? {} : options.mcp)
  const tools = createMcpTools(store.flows, plans, mcpOptions)
  mcpServers.offerProjects(createSiblingProjects(store, tools))
  const resources = createMcpResources({
    files: deps.files,
    userFiles,
    maxBytes: mcpOptions.maxResourceBytes,
  })
  const mcp = createMcpTransport(
    deps,
    createMcpProjects({
      ...deps,
      projects,
      tools,
      resources,
      runs,
      asking: createAskingTools({
        jobs,
        enqueue: runner.enqueue,
        box: deps.secrets,
        runtime,
      }),
      settings: mcpOptions,
    }),
    mcpOptions,
  )
  return {
    jobs,
    services: {
      questions: createQuestionService({ jobs, store }),
      builds: createBuildService({
        store,
        jobs,
        runner,
        onceJobs,
        versions,
        plans,
        components,
        visitors,
        resumable: settings.resumableBuilds ?? jobStore.queue.shared,
        publicTimeoutMs: settings.publicBuildSeconds * 1000,
      }),
      vertices: createVertexService({
        store,
        components,
        customCode,
        plans,
        runner,
        runtime,
        uuid: () => runtime.uuid(),
      }),
      runs,
      fleet: createFleetService({ queue: jobStore.queue, store, leaseMs }),
      responses: createResponsesService({
        chatFlows,
        runs,
        runtime,
        statusCodes: options.responses?.statusCodes ?? false,
        announce,
      }),
      openAi,
      openAiResponses: createOpenAiResponses({
        ...openAiOptions,
        openAi,
        stored,
        background,
        store: openAiSettings.store,
      }),
      mcp,
      doors,
      traces: createTraceService({ store, jobs: jobStore }),
      webhooks: createWebhookService({
        store,
        settings,
        flows,
        plans,
        runner,
        onceJobs,
        apiKeys,
      }),
    },
    cancelBuilds: (of) => owners.cancelOwned(of),
    async close() {
      counted?.end()
      mcp.close()
      doors.close()
      owners.close()
      await jobs.close()
      await sweep.settled()
      await writer.flush()
    },
  }
}
