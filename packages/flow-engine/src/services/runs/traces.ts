import type { FlowStore } from '../../store/flow-store.ts'
import type { JobState, JobStore, JobTokens, ListedJob } from '../../store/job-store.ts'
import type { Page } from '../../store/paging.ts'
import type { Caller } from '../base/caller.ts'
import { refuse } from '../../refusal.ts'
import { readGraph } from './recorded-graph.ts'
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

/** A job as a trace. */
export interface TraceSummary {
  readonly job: ListedJob
  /** The current name of its flow, or the flow id if the flow no longer exists. */
  readonly name: string
  readonly usage: JobTokens
}

export interface Trace extends TraceSummary {
  readonly run: LoggedRun
  /** Current display names of the flow's vertices, by id. */
  readonly vertexNames: ReadonlyMap<string, string>
}

/** The runs of a user according to job records: builds, webhooks, background responses, schedules (OP-5). */
export interface TraceService {
  /** Newest first. */
  list(caller: Caller, query: TraceQuery): Promise<Page<TraceSummary>>
  /** @throws Refusal 404 if the job is unknown or not a run of the caller */
  get(caller: Caller, id: string, signal: AbortSignal): Promise<Trace>
}

export function createTraceService({
  store,
  jobs: { queue, log },
}: {
  readonly store: Pick<FlowStore, 'flows'>
  readonly jobs: Pick<JobStore, 'queue' | 'log'>
}): TraceService {
  const namesOf = async (userId: string, flowIds: readonly string[]) => {
    const ids = [...new Set(flowIds)]
    const query = { userId, ids, order: 'created', data: 'none' } as const
    const { items } = ids.length === 0 ? { items: [] } : await store.flows.list(query)
    return new Map(items.map(({ id, name }) => [id, name]))
  }
  return {
    async list({ id: userId }, { page, size, ...wanted }) {
      if (queue.list === undefined) return { items: [], total: 0 }
      const slice = { offset: (Math.max(page, 1) - 1) * size, limit: size }
      const found = await queue.list({ ...wanted, ...slice, userId, lanes: OWN_LANES })
      const names = await namesOf(
        userId,
        found.items.map(({ flowId }) => flowId),
      )
      const items = found.items.map((job) => summaryOf(job, names.get(job.flowId)))
      return { items, total: found.total }
    },
    async get({ id: userId }, id, signal) {
      const job = await queue.get(id)
      if (job?.userId !== userId || !OWN_LANES.includes(job.lane))
        throw refuse(404, 'Trace not found')
      const flow = await store.flows.get(job.flowId)
      const own = flow?.userId === userId ? flow : null
      const run = await readLoggedRun(log, job, signal)
      const vertexNames = displayNames(own?.data ?? null)
      return { ...summaryOf(job, own?.name), run, vertexNames }
    },
  }
}

function summaryOf(job: ListedJob, name = job.flowId): TraceSummary {
  const usage = { inputTokens: 0, outputTokens: 0 }
  for (const { inputTokens, outputTokens } of Object.values(job.usage ?? {})) {
    usage.inputTokens += inputTokens
    usage.outputTokens += outputTokens
  }
  return { job, name, usage }
}

function displayNames(data: string | null): ReadonlyMap<string, string> {
  const graph: unknown = data === null ? null : JSON.parse(data)
  return typeof graph === 'object' && graph !== null ? readGraph(graph).names : new Map()
}
