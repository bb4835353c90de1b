/** The state of a job that has just been queued. */
export const FRESH_JOB = {
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
} as const
