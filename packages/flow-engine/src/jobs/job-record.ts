import type { StoredJob } from '../store/job-store.ts'
import type { FlowErrorCode } from '../errors.ts'
import type { JobRecord } from './build-jobs.ts'
import { toPendingQuestion, type StoredQuestion } from './stored-question.ts'

/**
 * Converts a stored job to its public form.
 * @param question the question it was suspended with
 */
export function toJobRecord(job: StoredJob, lastSeq: number, question?: StoredQuestion): JobRecord {
  const {
    id,
    state,
    flowId,
    userId,
    createdAt,
    startedAt,
    finishedAt,
    error,
    crashes,
    flowVersion,
  } = job
  const rests = state === 'suspended'
  return {
    id,
    state,
    flowId,
    createdAt,
    startedAt,
    finishedAt,
    lastSeq,
    crashes,
    ...(flowVersion === null ? {} : { flowVersion }),
    ...(userId === null ? {} : { userId }),
    ...(error === null
      ? {}
      : { error: { code: error.code as FlowErrorCode, detail: error.detail } }),
    ...(rests && question !== undefined ? { question: toPendingQuestion(job, question) } : {}),
    ...(rests && job.wakeAt !== null ? { wakeAt: job.wakeAt } : {}),
  }
}
