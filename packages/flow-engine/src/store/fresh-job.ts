import type { NewJob, StoredJob } from './job-store.ts'

/** A job that has just been queued. */
export function freshJob(job: Omit<NewJob, 'maxQueued'>): StoredJob {
  return {
    state: 'queued',
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    cancelRequested: false,
    error: null,
    question: null,
    answer: null,
    crashes: 0,
    askedAt: null,
    wakeAt: null,
    usage: null,
    ...job,
  }
}
