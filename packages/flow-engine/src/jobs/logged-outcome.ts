import type { EventLog, JobOutcome, StoredEvent } from '../store/job-store.ts'
import { decodeEvent } from './job-event.ts'

const CHUNK = 1000
/** What errors say that end a job because of its process. */
const INTERRUPTED = ['The process that ran', 'The build ended its process', 'The server stopped']

/** The error of a job that cannot continue. */
export const interrupted = { code: 'interrupted', detail: 'The process that ran the build died' }

/**
 * The outcome of a job according to its log, for a process that died before the queue recorded it. Null if
 * the run has not ended.
 * @param last `seq` of the last event
 */
export async function loggedOutcome(
  log: EventLog,
  { jobId, last, finishedAt }: { jobId: string; last: number; finishedAt: Date },
): Promise<JobOutcome | null> {
  const [final] = await log.read(jobId, last - 1, 1)
  if (final?.event !== 'end') return null
  const end = decodeEvent(final)
  if (end.event === 'end' && 'cancelled' in end.data) return { state: 'cancelled', finishedAt }
  for (let after = -1; after < last;) {
    const events = await log.read(jobId, after, CHUNK)
    const error = events.map(failureOf).find((found) => found !== undefined)
    if (error !== undefined) return { state: 'failed', finishedAt, error }
    after = events.at(-1)?.seq ?? last
  }
  return { state: 'succeeded', finishedAt }
}

function failureOf(stored: StoredEvent): JobOutcome['error'] {
  if (stored.event === 'error') {
    const { text } = JSON.parse(stored.data) as { readonly text?: unknown }
    const detail = typeof text === 'string' ? text.trim() : ''
    return INTERRUPTED.some((start) => detail.startsWith(start))
      ? { code: interrupted.code, detail }
      : { code: 'internal', detail: 'The build failed' }
  }
  if (stored.event !== 'end_vertex') return undefined
  const event = decodeEvent(stored)
  if (event.event !== 'end_vertex' || event.data.build_data.valid) return undefined
  return { code: 'component_failed', detail: event.data.build_data.params ?? '' }
}
