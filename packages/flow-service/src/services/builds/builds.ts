import { FlowCompileError, isFlowError } from '@x/flow-engine'
import type { ComponentRegistry } from '@x/flow-engine'
import { flowAsksPeople, planAsksPeople } from '@x/flow-engine/internal'
import { asksPerson } from '../runs/asking-flows.ts'
import { buildProblems } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import type { RunInput } from '@x/flow-engine'
import { formatRunResponse, type RunResponse } from '@x/flow-engine'
import type { BuildJobs, JobRecord } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import type { StoredEvent } from '@x/flow-engine/store'
import { ownFlow } from '../base/own-flow.ts'
import type { Caller } from '../base/caller.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { PlanCache } from '../runs/plan-cache.ts'
import type { FlowVersionService, PinnableFlow } from '../flows/flow-versions.ts'
import { publicFlowId } from '../flows/public-flow-id.ts'
import { createPublicJobs } from './public-jobs.ts'
import { runErrorText } from '../../run-error-text.ts'
import { refuse } from '../../refusal.ts'
import type { BuildMetadata } from '../runs/build-metadata.ts'
import type { Once, OnceJobs } from '../runs/once.ts'
import type { Runner } from '../runs/runner.ts'
import type { VisitorQueue } from './visitor-queue.ts'

/** A request for a build. */
export interface StartBuild {
  readonly inputs: {
    readonly value: string | null
    readonly session: string | null
    /** Start time reported by the client, in ms since 1970. */
    readonly clientRequestTime: number | null
  }
  /** Graph to build instead of the stored one; not for public builds. */
  readonly graph: object | null
  readonly files: readonly string[]
  readonly stopComponentId: string | null
  readonly startComponentId: string | null
  readonly logBuilds: boolean
  readonly flowName: string | null
  /**
   * The build can be suspended and survives its process; always set for flows that ask a person. Default: the
   * setting.
   */
  readonly resumable?: boolean | null | undefined
  /** Number or id of a version whose graph is built instead of the stored one. */
  readonly version?: string | null
  readonly origin?: RunOrigin
  /** The build is a job that the same request joins. */
  readonly once?: Once
}

/** A visitor who builds a public flow. */
export interface Visitor {
  readonly clientId: string
  /** Undefined if the server does not provide it. */
  readonly address: string | undefined
}

/** Builds as jobs of their users. */
export interface BuildService {
  /** @throws Refusal 404 if the flow is not the caller's; 400 for a version together with a graph */
  start(caller: Caller, flowId: string, request: StartBuild): Promise<JobRecord>
  /**
   * Builds the stored graph of a public flow with its owner's rights.
   * @throws Refusal 403, 429 if too many are waiting
   */
  startPublic(flowId: string, visitor: Visitor, request: StartBuild): Promise<JobRecord>
  /**
   * The user id under which a reader may read and cancel a job: the caller, or the owner of the public flow
   * for the visitor who started the build. Null for anyone else.
   */
  ownerFor(reader: BuildReader, jobId: string): Promise<string | null>
  /** @throws Refusal 404 if the job is not the caller's, before anything is read */
  events(
    ownerId: string,
    jobId: string,
    options: { after?: number; signal?: AbortSignal },
  ): Promise<AsyncIterable<readonly StoredEvent[]>>
  /** @throws Refusal 404 */
  poll(
    ownerId: string,
    jobId: string,
    options: { after?: number; signal?: AbortSignal },
  ): Promise<{ events: StoredEvent[]; cursor: number }>
  /** The only reader of a build has disconnected: cancels it, unless it waits for a person. */
  leave(ownerId: string, jobId: string): Promise<void>
  /** @throws Refusal 404 */
  cancel(ownerId: string, jobId: string): Promise<{ success: boolean }>
  /** State and final outputs of a job for its reader (see `ownerFor`); null for anyone else. */
  task(
    reader: BuildReader,
    jobId: string,
  ): Promise<{ status: TaskStatus; result: RunResponse | null } | null>
}

/** The reader of a build. */
export interface BuildReader {
  /** Null without credentials. */
  readonly userId: string | null
  /** The `client_id` cookie; null if absent. */
  readonly clientId: string | null
}

export type TaskStatus = 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE' | 'REVOKED'

const TASK_STATUS = {
  queued: 'PENDING',
  running: 'STARTED',
  suspended: 'STARTED',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'REVOKED',
} as const

export interface BuildServiceOptions extends Pick<ServiceDependencies, 'store'> {
  readonly jobs: BuildJobs
  readonly runner: Pick<Runner, 'enqueue'>
  readonly onceJobs: Pick<OnceJobs, 'start'>
  readonly versions: Pick<FlowVersionService, 'pin'>
  readonly plans: PlanCache
  readonly components: ComponentRegistry
  readonly visitors: VisitorQueue
  /** For builds whose request does not say. */
  readonly resumable: boolean
  /** Maximum duration of a public build, in milliseconds. */
  readonly publicTimeoutMs: number
}

export function createBuildService({
  store,
  jobs,
  runner,
  onceJobs,
  versions,
  plans,
  components,
  visitors,
  resumable,
  publicTimeoutMs,
}: BuildServiceOptions): BuildService {
  const publicJobs = createPublicJobs({ store, jobs })
  const unknownJob = (jobId: string): Error =>
    refuse(404, `Job not found: Job queue not found for job_id: ${jobId}`)
  const orUnknown = async <T>(jobId: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw isFlowError(error) && error.code === 'not_found' ? unknownJob(jobId) : error
    }
  }

  const ownerFor = async (
    { userId, clientId }: BuildReader,
    jobId: string,
  ): Promise<string | null> => {
    if (clientId === null) return userId
    return (await publicJobs.ownerFor(jobId, clientId)) ?? userId
  }

  return {
    async start(caller, flowId, request) {
      const flow = await ownFlow(store, caller.id, flowId)
      if (flow === null) throw refuse(404, `Flow with id ${flowId} not found`)
      const metadata: BuildMetadata = {
        ownerId: caller.id,
        storedFlowId: flowId,
        isPublic: false,
        logBuilds: request.logBuilds,
        door: 'build',
      }
      const { graph, version = null } = request
      if (graph !== null && version !== null)
        throw refuse(400, 'Send either version or data, not both')
      const pinned = await versions.pin(flow, version)
      const built =
        graph === null
          ? planOf(plans, pinned)
          : { flow: { id: flowId, name: flow.name, data: graph } as unknown as FlowJson }
      const build: BuildRequest = {
        flowId,
        flowName: request.flowName ?? flow.name,
        userId: caller.id,
        resumable: (request.resumable ?? resumable) || asks(built.flow, components),
        metadata: { ...metadata },
        ...buildOptions(request),
        ...built,
        ...(pinned.version === undefined ? {} : { flowVersion: pinned.version }),
      }
      const { once } = request
      if (once === undefined) return runner.enqueue(build)
      const id = await onceJobs.start(once, build)
      const job = await jobs.get(id)
      if (job === null) throw unknownJob(id)
      return job
    },
    async startPublic(flowId, { clientId, address }, request) {
      const flow = await store.flows.get(flowId)
      if (flow?.accessType !== 'PUBLIC') throw refuse(403, 'Flow is not public')
      const owner = await store.users.get(flow.userId)
      if (owner === null) throw refuse(403, 'Flow is not accessible')
      if (!owner.isActive) throw refuse(403, 'Flow is not public')
      const metadata: BuildMetadata = {
        ownerId: owner.id,
        storedFlowId: flowId,
        isPublic: true,
        logBuilds: request.logBuilds,
        door: 'public',
      }
      const derivedFlowId = await publicFlowId(clientId, flowId)
      const build: BuildRequest = {
        flowId: derivedFlowId,
        flowName: request.flowName ?? `${clientId}_${flowId}`,
        userId: owner.id,
        lane: 'public',
        timeoutMs: publicTimeoutMs,
        metadata: { ...metadata },
        ...buildOptions(request),
        ...planOf(plans, flow),
      }
      if (asks(build.flow, components)) throw asksPerson(flowId)
      const job = await visitors.start({ clientId, address }, () => runner.enqueue(build))
      publicJobs.remember(job.id, { ownerId: owner.id, storedFlowId: flowId, derivedFlowId })
      return job
    },
    ownerFor,
    async events(ownerId, jobId, options) {
      await orUnknown(jobId, jobs.check(jobId, { userId: ownerId }))
      return jobs.encodedEvents(jobId, { userId: ownerId, ...options })
    },
    poll: (ownerId, jobId, options) =>
      orUnknown(jobId, jobs.encodedPoll(jobId, { ...options, userId: ownerId, reader: ownerId })),
    async task(reader, jobId) {
      const job = await jobs.get(jobId)
      if (job?.userId === undefined || job.userId !== (await ownerFor(reader, jobId))) return null
      const done = job.state === 'succeeded'
      const result = done ? formatRunResponse(await jobs.result(jobId)) : null
      return { status: TASK_STATUS[job.state], result }
    },
    async leave(ownerId, jobId) {
      const job = await jobs.get(jobId, { userId: ownerId })
      if (job !== null && job.state !== 'suspended') await jobs.cancel(jobId, { userId: ownerId })
    },
    async cancel(ownerId, jobId) {
      const cancelled = await orUnknown(jobId, jobs.cancel(jobId, { userId: ownerId }))
      visitors.left(jobId)
      return cancelled
    },
  }
}

function asks(flow: FlowPlan | FlowJson, components: ComponentRegistry): boolean {
  return 'vertexIds' in flow ? planAsksPeople(flow as FlowPlan) : flowAsksPeople(flow, components)
}

/** The compiled flow, or the error message its job fails with before anything runs. */
function planOf(
  plans: PlanCache,
  { id, name, data, version }: PinnableFlow,
): { flow: FlowPlan | FlowJson; refused?: string } {
  const nothing = { nodes: [], edges: [] }
  if (data === null) return { flow: nothing, refused: 'Invalid flow ID' }
  try {
    const flow = plans.getPartly(id, name, data, version)
    const [problem] = buildProblems(flow)
    return problem === undefined ? { flow } : { flow: nothing, refused: problem.message }
  } catch (error) {
    if (!(error instanceof FlowCompileError)) throw error
    const [first] = error.problems
    const refused = first?.code === 'no_graph' ? 'Invalid flow ID' : runErrorText(error)
    return { flow: nothing, refused }
  }
}

function buildOptions({
  inputs,
  files,
  stopComponentId,
  startComponentId,
  origin,
}: StartBuild): Partial<BuildRequest> {
  const input: RunInput = { files, ...(inputs.value === null ? {} : { value: inputs.value }) }
  return {
    mode: 'build',
    input,
    ...origin,
    ...(inputs.session === null ? {} : { sessionId: inputs.session }),
    ...(stopComponentId === null ? {} : { stopComponentId }),
    ...(startComponentId === null ? {} : { startComponentId }),
  }
}
