import type { StoredJob } from '../store/job-store.ts'
import type { FlowErrorCode } from '../errors.ts'
import type { JobRecord } from './build-jobs.ts'

/** What callers see of a stored job. */
export function toJobRecord(job: StoredJob, lastSeq: number): JobRecord {
  const { id, state, flowId, userId, createdAt, startedAt, finishedAt, error, question } = job
  return {
    id,
    state,
    flowId,
    createdAt,
    startedAt,
    finishedAt,
    lastSeq,
    ...(userId === null ? {} : { userId }),
    ...(error === null
      ? {}
      : { error: { code: error.code as FlowErrorCode, detail: error.detail } }),
    ...(state === 'suspended' && isQuestion(question) ? { question } : {}),
  }
}

function isQuestion(value: unknown): value is { vertexId: string; question: unknown } {
  return typeof value === 'object' && value !== null && 'vertexId' in value && 'question' in value
}
