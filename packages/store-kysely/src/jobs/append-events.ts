import type { StoredEvent } from '@x/flow-engine/store'

/**
 * Appends the events of one job, all or nothing; resolves after the commit.
 * @throws StaleWriterError if the log was opened with a higher fence
 */
export type AppendEvents = (
  jobId: string,
  events: readonly StoredEvent[],
  fence: number | undefined,
) => Promise<void>
