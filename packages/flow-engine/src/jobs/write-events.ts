import type { RunEvent } from '../graph/events/run-event.ts'
import type { EventLog } from '../store/job-store.ts'
import type { Runtime } from '@x/wire'
import { JobEvent } from './job-event.ts'

/** Events that readers have seen wait that long, or until there are so many of them, before they are appended (FE-62). */
const BEHIND_MS = 50
const BEHIND_BATCH = 64

export interface WriteEventsOptions {
  readonly jobId: string
  readonly log: EventLog
  /** Of the claim (DR-7). */
  readonly fence: number | undefined
  readonly runtime: Runtime
  /** Added to the numbers of the run: where an earlier run of the job stopped. */
  readonly firstSeq: number
  /**
   * Readers need not wait for the log, as nobody takes up the job where its process leaves it; its end
   * waits all the same.
   */
  readonly behind: boolean
  readonly publish: (event: JobEvent) => void
  /** True once the job belongs to another process: nothing more is written. */
  readonly stopped: () => boolean
  /** Called when the last event is in the log, or on its way into it, and before a reader sees it. */
  readonly beforeEnd: () => Promise<void>
  /** The log has taken no event: the run is to end at once (AB-91). */
  readonly refused: () => void
  /** Told the number of the last event in the log. */
  readonly appended: (seq: number) => void
}

/**
 * Brings the events of a run into the log and to the readers of this process, in their order. Tokens
 * reach readers at once and the log in batches, and so does all but the end of a job that is written
 * behind. All others reach readers when they are in the log.
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
  }: WriteEventsOptions,
): Promise<void> {
  const all: JobEvent[] = []
  let unwritten: JobEvent[] = []
  let published = 0
  let writing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  let waiting = false
  let over = false

  const publishUntil = (count: number): void => {
    for (; published < count; published += 1) publish(all[published] as JobEvent)
  }

  const write = async (): Promise<void> => {
    try {
      while (unwritten.length > 0 && !stopped()) await writeBatch()
    } catch (error) {
      failure ??= { error }
      refused()
    }
    // In the same turn as the last look at `unwritten`, so that no event is left behind.
    writing = undefined
  }
  const writeBatch = async (): Promise<void> => {
    const batch = unwritten
    unwritten = []
    const reached = all.length
    const atEnd = all[reached - 1]?.event === 'end'
    const written = log.append(jobId, batch, fence)
    // Behind, the last events and the end of the job go to the store together.
    await (atEnd && behind ? Promise.all([written, beforeEnd()]) : written)
    appended(batch.at(-1)?.seq ?? -1)
    if (atEnd && !behind) {
      publishUntil(reached - 1)
      await beforeEnd()
    }
    publishUntil(reached)
  }
  const flush = (): void => {
    if (writing !== undefined || failure !== undefined || unwritten.length === 0) return
    // Set before it runs: it may end in the same turn.
    const turn = Promise.resolve().then(write)
    writing = turn
  }
  /** The wait is not broken off, which costs more than an idle timer. */
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
    const upToDate = published === all.length
    all.push(job)
    unwritten.push(job)
    if (event.event === 'end' || (event.event !== 'token' && !behind)) flush()
    else {
      if (upToDate) publishUntil(all.length)
      if (unwritten.length >= BEHIND_BATCH) flush()
      else flushSoon()
    }
    if (failure !== undefined || stopped()) break
  }
  flush()
  await writing
  over = true
  if (failure !== undefined) throw failure.error
  for (const job of all) job.seal()
  // A wait that is still under way holds on to them.
  all.length = 0
}
