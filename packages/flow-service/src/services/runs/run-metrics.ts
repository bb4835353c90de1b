import type { Metrics } from '@x/wire'
import type { RunHooks } from '@x/flow-engine'
import type { JobObserver } from '@x/flow-engine/internal'
import type { JobQueue } from '@x/flow-engine/store'
import { oldestLeaseSeconds, secondsSince } from './fleet.ts'

/** Counts what an engine runs; `end` stops reading from the queue. */
export function executionMetrics(
  metrics: Metrics,
  queue: Pick<JobQueue, 'countOpen' | 'fleet'>,
  leaseMs: number,
) {
  const ends = [queueMetrics(metrics, queue), fleetMetrics(metrics, queue, leaseMs)]
  return {
    hooks: runMetrics(metrics),
    ...jobMetrics(metrics),
    end: () => ends.forEach((end) => end()),
  }
}

/** Reports what all processes say and leave behind when the metrics are read. */
function fleetMetrics(
  metrics: Metrics,
  queue: Pick<JobQueue, 'fleet'>,
  leaseMs: number,
): () => void {
  if (queue.fleet === undefined) return () => undefined
  const gauge = (name: string, help: string) => metrics.gauge({ name, help })
  const queued = gauge('flow_jobs_oldest_queued_seconds', 'How long the oldest waiting job waits.')
  const lease = gauge('flow_jobs_oldest_lease_seconds', 'Age of the oldest lease of a running job.')
  const expired = gauge('flow_leases_expired', 'Running jobs whose lease has ended.')
  const suspects = gauge('flow_jobs_suspects', 'Waiting jobs whose last process died.')
  const logBytes = gauge('flow_log_bytes', 'Size of the logs of jobs in the database.')
  const offset = metrics.gauge({
    name: 'database_clock_offset_seconds',
    help: 'How far the clock that is off most is ahead of that of the database.',
  })
  const processes = metrics.gauge({
    name: 'flow_fleet_processes',
    help: 'Processes that were seen in the last minute.',
    labels: ['role'],
  })
  return metrics.onCollect(async () => {
    const state = await queue.fleet?.()
    if (state === undefined) return
    const { at } = state
    queued.set({}, secondsSince(at, state.oldestQueuedAt) ?? 0)
    lease.set({}, oldestLeaseSeconds(state, leaseMs) ?? 0)
    expired.set({}, state.expiredLeases)
    suspects.set({}, state.suspects)
    logBytes.set({}, state.database?.bytes.log ?? 0)
    const alive = state.processes.filter(({ seenAt }) => (secondsSince(at, seenAt) ?? 0) < 60)
    const offsets = alive.map(({ clockOffsetMs }) => clockOffsetMs / 1000)
    offset.set({}, offsets.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? 0)
    for (const role of ['all', 'web', 'worker'])
      processes.set({ role }, alive.filter((one) => one.role === role).length)
  })
}

/**
 * Counts runs, vertices and model calls. Names of flows, users and vertices are not used as labels.
 */
function runMetrics(metrics: Metrics): RunHooks {
  const runs = metrics.counter({
    name: 'flow_runs_total',
    help: 'Runs that ended or came to rest in this process, builds included.',
    labels: ['outcome'],
  })
  const runSeconds = metrics.histogram({
    name: 'flow_run_duration_seconds',
    help: 'Working time of runs.',
    labels: ['outcome'],
  })
  const active = metrics.gauge({ name: 'flow_runs_active', help: 'Runs under way.' })
  const vertices = metrics.counter({
    name: 'flow_vertices_total',
    help: 'Attempts to build a vertex, by type of its component.',
    labels: ['type', 'outcome'],
  })
  const calls = metrics.counter({
    name: 'flow_model_calls_total',
    help: 'Calls of models and embeddings.',
    labels: ['kind', 'provider', 'model', 'outcome'],
    maxValues: 50,
    maxSeries: 500,
  })
  const callSeconds = metrics.histogram({
    name: 'flow_model_call_duration_seconds',
    help: 'Time of calls of models and embeddings, to the end of their answer.',
    labels: ['kind', 'provider'],
    maxValues: 50,
  })
  const tokens = metrics.counter({
    name: 'flow_model_tokens_total',
    help: 'Tokens that models say they used.',
    labels: ['provider', 'model', 'direction'],
    maxValues: 50,
    maxSeries: 500,
  })
  active.set({}, 0)
  return {
    onRunStart: () => active.add({}, 1),
    onRunEnd(_run, { status: outcome, durationMs }) {
      active.add({}, -1)
      runs.add({ outcome })
      runSeconds.observe({ outcome }, durationMs / 1000)
    },
    onVertexEnd: ({ type }, { status: outcome }) => vertices.add({ type, outcome }),
    onCallEnd({ kind, provider = 'other', model = 'other' }, { status, usage, durationMs }) {
      if (kind !== 'model' && kind !== 'embedding') return
      calls.add({ kind, provider, model, outcome: status })
      callSeconds.observe({ kind, provider }, durationMs / 1000)
      if (usage === undefined) return
      tokens.add({ provider, model, direction: 'in' }, usage.inputTokens)
      tokens.add({ provider, model, direction: 'out' }, usage.outputTokens)
    },
  }
}

/** Counts jobs. */
function jobMetrics(metrics: Metrics): Required<Pick<JobObserver, 'started' | 'finished'>> {
  const jobs = metrics.counter({
    name: 'flow_jobs_total',
    help: 'Jobs that ended in this process.',
    labels: ['outcome'],
  })
  const waits = metrics.histogram({
    name: 'flow_job_wait_seconds',
    help: 'Time of jobs in the queue before they first ran.',
  })
  const durations = metrics.histogram({
    name: 'flow_job_duration_seconds',
    help: 'Time of jobs from their first start to their end, questions and sleeps included.',
    labels: ['outcome'],
  })
  const seconds = (from: Date | null, to: Date | null): number =>
    from === null || to === null ? 0 : Math.max(0, to.getTime() - from.getTime()) / 1000
  return {
    started(job) {
      waits.observe({}, seconds(job.createdAt, job.startedAt))
    },
    finished(job) {
      jobs.add({ outcome: job.state })
      durations.observe({ outcome: job.state }, seconds(job.startedAt, job.finishedAt))
    },
  }
}

/**
 * Reports how many jobs of all processes are waiting, running and suspended when the metrics are read.
 */
function queueMetrics(metrics: Metrics, { countOpen }: Pick<JobQueue, 'countOpen'>): () => void {
  if (countOpen === undefined) return () => undefined
  const open = metrics.gauge({
    name: 'flow_jobs_open',
    help: 'Jobs in the store that wait, run or rest, of all processes.',
    labels: ['state'],
  })
  return metrics.onCollect(async () => {
    for (const [state, count] of Object.entries(await countOpen())) open.set({ state }, count)
  })
}
