import type { StoredEvent } from '@x/flow-engine'

/** Appends the events of one job, all or nothing; resolves after the commit. */
export type AppendEvents = (jobId: string, events: readonly StoredEvent[]) => Promise<void>
