import type { Runtime } from '@x/wire'
import type { JobStore, StoredJob } from '../store/job-store.ts'
import { startFailureJson } from '../graph/vertex/failure.ts'
import { interrupted, loggedOutcome } from './logged-outcome.ts'
import { jobChannel } from './read-events.ts'

const FAR_FUTURE = new Date(8_640_000_000_000_000)

/**
 * Repairs the jobs of dead processes: resumable jobs are queued again, others fail. If the queue is
 * not shared, every job marked as running is such a job.
 */
export async function recoverJobs({
  store,
  runtime,
  charge,
  leaseMs,
  maxCrashes,
}: {
  readonly store: JobStore
  readonly runtime: Runtime
  /** False: nobody is to blame, because the store was away. */
  readonly charge: boolean
  /** How long a job may be without a lease while its process is seen. */
  readonly leaseMs: number
  readonly maxCrashes: number
}): Promise<{ requeued: string[]; interrupted: string[]; lastChances: boolean }> {
  const now = runtime.now()
  const found = await store.queue.expired(store.queue.shared ? now : FAR_FUTURE, {
    charge,
    patienceMs: leaseMs,
  })
  const requeued = found
    .filter(({ resumable, cancelRequested }) => resumable && !cancelRequested)
    .map(({ id }) => id)
  const failed: string[] = []
  for (const { id, worker, attempts, resumable, cancelRequested } of found) {
    if (cancelRequested) {
      await endCancelled(store, { id, worker, now })
      continue
    }
    if (resumable) continue
    const about = { jobId: id, last: await store.log.lastSeq(id), finishedAt: now }
    // Its process may have died between writing its end and recording it.
    const logged = await loggedOutcome(store.log, about)
    const outcome = logged ?? { state: 'failed' as const, finishedAt: now, error: interrupted }
    // The log first: if this process dies in between, the next one finds the end there.
    if (logged === null) await appendEnd(store, id, { runtime, fence: attempts + 1 })
    if ((await store.queue.finish(id, worker, outcome)) && logged === null) failed.push(id)
  }
  for (const { id } of found) store.bus.publish(jobChannel(id), '')
  const lastChances = found.some(({ crashes }) => crashes === maxCrashes - 1)
  return { requeued, interrupted: failed, lastChances }
}

/** Its process died before it noticed the cancel request. */
async function endCancelled(
  store: JobStore,
  { id, worker, now }: { readonly id: string; readonly worker: string; readonly now: Date },
): Promise<void> {
  // A resumable job is waiting by now; if a worker has already claimed it, that worker ends it.
  const ended = await store.queue.finish(id, worker, { state: 'cancelled', finishedAt: now })
  if (!ended) await store.queue.requestCancel(id, now)
  const job = await store.queue.get(id)
  if (job?.state === 'cancelled') await appendCancelled(store, job)
}

/**
 * Ends the log with an error, so that no reader hangs. False if it had an end.
 * @param fence of the writer; a process that ends the job of another uses one above all claims
 * @param given `seq` of the last event already delivered to readers, if the log lacks some
 */
export async function appendEnd(
  store: JobStore,
  jobId: string,
  {
    runtime,
    fence,
    detail = interrupted.detail,
    given = -1,
  }: {
    readonly runtime: Runtime
    readonly fence: number
    readonly detail?: string
    readonly given?: number
  },
): Promise<boolean> {
  const last = Math.max(given, await store.log.open(jobId, fence))
  const [final] = await store.log.read(jobId, last - 1, 1)
  if (final?.event === 'end') return false
  const failure = startFailureJson(detail, null, runtime.now())
  const events = [
    { seq: last + 1, event: 'error', data: JSON.stringify(failure) },
    { seq: last + 2, event: 'end', data: '{}' },
  ]
  await store.log.append(jobId, events, fence)
  await store.log.close(jobId)
  return true
}

/** Ends the log of a job that was cancelled while no process was running it. */
export async function appendCancelled(
  { log }: JobStore,
  { id, attempts }: Pick<StoredJob, 'id' | 'attempts'>,
  before: readonly { readonly event: string; readonly data: string }[] = [],
): Promise<void> {
  const fence = attempts + 1
  const last = await log.open(id, fence)
  const [final] = await log.read(id, last - 1, 1)
  if (final?.event === 'end') return
  const events = [...before, { event: 'end', data: '{"cancelled":true}' }]
  const numbered = events.map((one, n) => ({ seq: last + 1 + n, ...one }))
  await log.append(id, numbered, fence)
  await log.close(id)
}
