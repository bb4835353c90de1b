import type { StoredEvent } from '../store/job-store.ts'
import type { BuildJobs, Poll, PollOptions } from './build-jobs.ts'
import { decodeEvent } from './job-event.ts'
import { pollEvents } from './poll-events.ts'
import { createPositions } from './poll-positions.ts'
import { readEvents, type ReaderContext } from './read-events.ts'

export type JobReading = Pick<BuildJobs, 'events' | 'encodedEvents' | 'poll' | 'encodedPoll'>

/**
 * The ways to read jobs.
 * @param check rejects if the job is unknown or belongs to another user
 */
export function createJobReading(
  readers: ReaderContext,
  check: (jobId: string, userId: string | undefined) => Promise<void>,
): JobReading {
  const positions = createPositions()

  /** The end is never marked as read, so that every further poll returns it immediately. */
  const keepPosition = (jobId: string, reader: string, given: readonly StoredEvent[]): void => {
    const last = given.at(-1)
    if (last === undefined) return
    const seq = last.event === 'end' ? last.seq - 1 : last.seq
    positions.set(jobId, reader, Math.max(seq, positions.get(jobId, reader) ?? -1))
  }

  async function* encodedEvents(
    jobId: string,
    { after = -1, signal, userId }: Parameters<BuildJobs['encodedEvents']>[1] = {},
  ): AsyncGenerator<readonly StoredEvent[], void, undefined> {
    await check(jobId, userId)
    yield* readEvents(readers, { jobId, after, signal })
  }

  const encodedPoll = async (
    jobId: string,
    { after, reader, waitMs = 30_000, userId, signal }: PollOptions = {},
  ): Promise<Poll<StoredEvent>> => {
    await check(jobId, userId)
    if (after !== undefined) return pollEvents(readers, { jobId, after, waitMs, signal })
    const who = reader ?? userId ?? ''
    const position = positions.get(jobId, who)
    const poll = await pollEvents(readers, { jobId, after: position ?? -1, waitMs, signal })
    keepPosition(jobId, who, poll.events)
    return position === undefined ? withoutCancelled(poll) : poll
  }

  return {
    encodedEvents,
    encodedPoll,
    async *events(jobId, options) {
      for await (const found of encodedEvents(jobId, options)) yield* found.map(decodeEvent)
    },
    async poll(jobId, options) {
      const { events, ...rest } = await encodedPoll(jobId, options)
      return { events: events.map(decodeEvent), ...rest }
    },
  }
}

/** The first poll after a cancel returns the same response as a poll after the job's end. */
function withoutCancelled(poll: Poll<StoredEvent>): Poll<StoredEvent> {
  const last = poll.events.at(-1)
  const cancelled = last?.event === 'end' && last.data.includes('"cancelled"')
  return cancelled ? { ...poll, events: [last] } : poll
}
