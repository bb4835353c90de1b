import type { FlowStore } from '../../store/flow-store.ts'
import type {
  JobListQuery,
  JobState,
  JobStore,
  JobTokens,
  JobUsage,
  ListedJob,
} from '@x/flow-engine/store'
import type { RunTraceState, RunTraceSummary } from '../../store/run-traces.ts'
import type { Page } from '@x/flow-engine/store'
import type { Caller } from '../base/caller.ts'
import { refuse } from '../../refusal.ts'
import { mergePages } from './merge-pages.ts'
import { readGraph } from './recorded-graph.ts'
import { readTraceDetails } from './trace-details.ts'
import { readLoggedRun, type LoggedRun } from './trace-spans.ts'

/** Lanes of jobs that run flows for their owner; excludes those of visitors and stored responses. */
const OWN_LANES = ['', 'webhook']

/** Selects traces; all conditions apply. */
export interface TraceQuery {
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Counts from 1. */
  readonly page: number
  readonly size: number
}

/** A job, or a run that is not a job. */
export interface TracedRun {
  readonly id: string
  readonly flowId: string
  /** Null if the job has no session. */
  readonly sessionId: string | null
  readonly state: JobState
  readonly startedAt: Date
  /** Null until the run has ended. */
  readonly finishedAt: Date | null
  readonly error: string | null
  readonly tokens: JobTokens
}

export interface TraceSummary {
  readonly traced: TracedRun
  /** The current name of its flow, or the flow id if the flow no longer exists. */
  readonly name: string
}

export interface Trace extends TraceSummary {
  readonly run: LoggedRun
  /** Token usage by vertex id; contains only vertices with usage. */
  readonly usage: JobUsage
  /** Current display names of the flow's vertices, by id. */
  readonly vertexNames: ReadonlyMap<string, string>
}

/** The runs of a user: jobs (builds, webhooks, background responses, schedules) and other runs. */
export interface TraceService {
  /** Newest first. */
  list(caller: Caller, query: TraceQuery): Promise<Page<TraceSummary>>
  /** @throws Refusal 404 if the job is unknown or not a run of the caller */
  get(caller: Caller, id: string, signal: AbortSignal): Promise<Trace>
}

export function createTraceService({
  store,
  jobs: jobStore,
}: {
  readonly store: Pick<FlowStore, 'flows' | 'runTraces'>
  readonly jobs: Pick<JobStore, 'queue' | 'log'>
}): TraceService {
  const jobs = jobTraces(jobStore)
  const runs = runTraces(store)
  const namesOf = async (userId: string, flowIds: readonly string[]) => {
    const ids = [...new Set(flowIds)]
    const query = { userId, ids, order: 'created', data: 'none' } as const
    const { items } = ids.length === 0 ? { items: [] } : await store.flows.list(query)
    return new Map(items.map(({ id, name }) => [id, name]))
  }
  return {
    async list({ id: userId }, { page, size, ...wanted }) {
      const range = { offset: (Math.max(page, 1) - 1) * size, limit: size }
      const { items, total } = await mergePages({
        range,
        few: (part) => runs.list({ ...wanted, ...part, ownerId: userId }),
        many: (part) => jobs.list({ ...wanted, ...part, userId }),
        isBefore: (one, other) => one.queuedAt > other.queuedAt,
      })
      const names = await namesOf(
        userId,
        items.map(({ traced }) => traced.flowId),
      )
      const named = items.map(({ traced }) => ({
        traced,
        name: names.get(traced.flowId) ?? traced.flowId,
      }))
      return { items: named, total }
    },
    async get({ id: userId }, id, signal) {
      const found = (await jobs.find(userId, id, signal)) ?? (await runs.find(userId, id))
      if (found === null) throw refuse(404, 'Trace not found')
      const { flowId } = found.traced
      const flow = await store.flows.get(flowId)
      const own = flow?.userId === userId ? flow : null
      return { ...found, name: own?.name ?? flowId, vertexNames: displayNames(own?.data ?? null) }
    },
  }
}

/** A listed trace and its sort time, which for a job is when it was queued. */
interface Listed {
  readonly traced: TracedRun
  readonly queuedAt: Date
}

type UnnamedTrace = Omit<Trace, 'name' | 'vertexNames'>

function jobTraces({ queue, log }: Pick<JobStore, 'queue' | 'log'>) {
  return {
    async list(query: Omit<JobListQuery, 'lanes'>): Promise<Page<Listed>> {
      const found = await queue.list?.({ ...query, lanes: OWN_LANES })
      const { items, total } = found ?? { items: [], total: 0 }
      return { items: items.map((job) => ({ traced: ofJob(job), queuedAt: job.createdAt })), total }
    },
    async find(userId: string, id: string, signal: AbortSignal): Promise<UnnamedTrace | null> {
      const job = await queue.get(id)
      if (job?.userId !== userId || !OWN_LANES.includes(job.lane)) return null
      const run = await readLoggedRun(log, job, signal)
      return { traced: ofJob(job), run, usage: job.usage ?? {} }
    },
  }
}

function runTraces({ runTraces: store }: Pick<FlowStore, 'runTraces'>) {
  return {
    async list({ states, ...query }: Omit<JobListQuery, 'userId' | 'lanes'> & Owned) {
      const ended = states?.filter(isEnd)
      const { items, total } = await store.list({ ...query, states: ended })
      return { items: items.map((run) => ({ traced: ofRun(run), queuedAt: run.startedAt })), total }
    },
    async find(ownerId: string, id: string): Promise<UnnamedTrace | null> {
      const record = await store.get(ownerId, id)
      return record === null ? null : { traced: ofRun(record), ...readTraceDetails(record) }
    },
  }
}

interface Owned {
  readonly ownerId: string
}

const isEnd = (state: JobState): state is RunTraceState =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'

function ofJob({ id, flowId, sessionId, state, ...job }: ListedJob): TracedRun {
  const { createdAt, startedAt, finishedAt, error, usage } = job
  const tokens = { inputTokens: 0, outputTokens: 0 }
  for (const { inputTokens, outputTokens } of Object.values(usage ?? {})) {
    tokens.inputTokens += inputTokens
    tokens.outputTokens += outputTokens
  }
  const times = { startedAt: startedAt ?? createdAt, finishedAt }
  return { id, flowId, sessionId, state, ...times, error: error?.detail ?? null, tokens }
}

function ofRun({ inputTokens, outputTokens, ...run }: RunTraceSummary): TracedRun {
  const { id, flowId, sessionId, state, startedAt, finishedAt, error } = run
  const tokens = { inputTokens, outputTokens }
  return { id, flowId, sessionId, state, startedAt, finishedAt, error, tokens }
}

function displayNames(data: string | null): ReadonlyMap<string, string> {
  const graph: unknown = data === null ? null : JSON.parse(data)
  return typeof graph === 'object' && graph !== null ? readGraph(graph).names : new Map()
}
