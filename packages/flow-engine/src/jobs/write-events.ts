import type { RunEvent } from '../graph/events/run-event.ts'
import type { EventLog } from '../store/job-store.ts'
import type { Runtime } from '@x/wire'
import { FlowError } from '../errors.ts'
import { JobEvent } from './job-event.ts'

/**
 * Events that readers have already seen are appended after this delay, or once there are this many.
 */
const BEHIND_MS = 50
const BEHIND_BATCH = 64
/** Characters of unwritten events beyond which the run is ended. */
const MAX_UNTAKEN = 16 * 1024 * 1024
/** Overhead of an event besides its text. */
const EVENT_SIZE = 64

export interface WriteEventsOptions {
  readonly jobId: string
  readonly log: Pick<EventLog, 'append'>
  /** Fencing token of the claim. */
  readonly fence: number | undefined
  readonly runtime: Runtime
  /** Added to the run's numbering: where an earlier run of the job stopped. */
  readonly firstSeq: number
  /** Readers need not wait for the log, because no other process continues the job; its end still waits. */
  readonly behind: boolean
  readonly publish: (event: JobEvent) => void
  /** True once the job belongs to another process; nothing more is written. */
  readonly stopped: () => boolean
  /** Called when the last event is written or being written to the log, before a reader sees it. */
  readonly beforeEnd: () => Promise<void>
  /** Called when the log rejects events: the run must end immediately. */
  readonly refused: () => void
  /** Called with the `seq` of the last event in the log. */
  readonly appended: (seq: number) => void
  /** Called with events that are both logged and published. */
  readonly logged: (events: readonly JobEvent[]) => void
}

/**
 * Writes the events of a run to the log and to the readers of this process, in order. Tokens reach readers
 * immediately and the log in batches; with `behind`, so does everything except the job's end. All other
 * events reach readers once they are in the log.
 */
export async function writeEvents(
  run: AsyncIterable<RunEvent>,
  {
    jobId,
    log,
    fence,
    runtime,
    firstSeq,
    behind,
    stopped,
    publish,
    beforeEnd,
    refused,
    appended,
    logged,
  }: WriteEventsOptions,
): Promise<void> {
  let unpublished: JobEvent[] = []
  let unwritten: JobEvent[] = []
  let writing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  let waiting = false
  let over = false
  let untaken = 0

  /** Publishes waiting events up to `last`. */
  const publishTo = (last: JobEvent | undefined): void => {
    const due = unpublished
    const count = last === undefined ? 0 : due.indexOf(last) + 1
    unpublished = due.slice(count)
    for (const event of due.slice(0, count)) publish(event)
  }

  const failed = (): boolean => failure !== undefined
  const write = async (): Promise<void> => {
    try {
      while (unwritten.length > 0 && !stopped() && !failed()) await writeBatch()
    } catch (error) {
      failure ??= { error }
      refused()
    }
    // Same turn as the last check of `unwritten`, so that no event is left unwritten.
    writing = undefined
  }
  const writeBatch = async (): Promise<void> => {
    const batch = unwritten
    unwritten = []
    untaken = 0
    const last = batch.at(-1)
    const atEnd = last?.event === 'end'
    const written = log.append(jobId, batch, fence)
    // With `behind`, the last events and the job's end are sent to the store together.
    await (atEnd && behind ? Promise.all([written, beforeEnd()]) : written)
    appended(last?.seq ?? -1)
    if (atEnd && !behind) {
      publishTo(batch.at(-2))
      await beforeEnd()
    }
    publishTo(last)
    logged(batch)
  }
  const flush = (): void => {
    if (writing !== undefined || failure !== undefined || unwritten.length === 0) return
    // Set before it runs, because it may finish in the same turn.
    const turn = Promise.resolve().then(write)
    writing = turn
  }
  /** The timer is not cancelled, as that costs more than letting it fire. */
  const flushSoon = (): void => {
    if (waiting) return
    waiting = true
    const flushAfterwards = (): void => {
      waiting = false
      if (!over) flush()
    }
    runtime.sleep(BEHIND_MS).then(flushAfterwards, () => undefined)
  }

  for await (const event of run) {
    const job = new JobEvent(event, event.seq + firstSeq)
    const isPiece = event.event === 'token' || event.event === 'reasoning'
    const waitsForLog = event.event === 'end' || (!isPiece && !behind)
    unwritten.push(job)
    if (waitsForLog || unpublished.length > 0) unpublished.push(job)
    else publish(job)
    if (waitsForLog || unwritten.length >= BEHIND_BATCH) flush()
    else flushSoon()
    if (writing !== undefined) untaken += job.size + EVENT_SIZE
    if (untaken > MAX_UNTAKEN) {
      const text = `The log of the build accepted none of the last ${MAX_UNTAKEN} characters`
      failure ??= { error: new FlowError('store_unavailable', text) }
      refused()
    }
    if (failure !== undefined || stopped()) break
  }
  flush()
  await writing
  over = true
  if (failure !== undefined) throw failure.error
}
