import { isFlowError } from '@x/flow-engine'
import type { BuildJobs, JobRecord, PendingQuestion } from '@x/flow-engine'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'

/** An open question, with the start time of its job. */
export interface OpenQuestion extends PendingQuestion {
  readonly createdAt: Date
}

/** Questions of builds and their answers, for the users they are addressed to. */
export interface QuestionService {
  /** The caller's own questions, oldest first, at most 100. */
  pending(caller: Caller, flowId: string | null): Promise<OpenQuestion[]>
  /**
   * Answers a question of the caller; superusers may also answer those of others.
   * @throws Refusal 403, 404, 409, 422
   */
  resume(caller: Caller, jobId: string, answer: QuestionAnswer): Promise<void>
}

export interface QuestionAnswer {
  readonly requestId: string
  readonly decision: Readonly<Record<string, unknown>> | null
}

const STALE = 'Job is not suspended, already resumed, or the request_id is stale.'

export function createQuestionService({
  jobs,
  store,
}: {
  readonly jobs: BuildJobs
  readonly store: ServiceDependencies['store']
}): QuestionService {
  return {
    async pending(caller, flowId) {
      const query = { userId: caller.id, ...(flowId === null ? {} : { flowId }) }
      const questions = await jobs.pending(query)
      const records = await Promise.all(questions.map(({ jobId }) => jobs.get(jobId)))
      return questions.flatMap((question, n) => {
        const job = records[n]
        return job === null || job === undefined ? [] : [{ ...question, createdAt: job.createdAt }]
      })
    },
    async resume(caller, jobId, { requestId, decision }) {
      const job = await jobs.get(jobId)
      if (job?.userId === undefined || (job.userId !== caller.id && !caller.isSuperuser))
        throw refused(404, jobId, { error: 'Workflow job not found', code: 'JOB_NOT_FOUND' })
      const owner = await store.users.get(job.userId)
      if (owner?.isActive !== true)
        throw refused(403, jobId, { error: 'Forbidden', code: 'OWNER_INACTIVE' })
      try {
        await jobs.resume(jobId, answerOf(job, decision), { requestId })
      } catch (error) {
        throw answerRefusal(error, jobId)
      }
    },
  }
}

/** A question without options accepts any JSON under `value`. */
function answerOf({ question }: JobRecord, decision: QuestionAnswer['decision']): unknown {
  const isFree = question !== undefined && question.options.length === 0
  return isFree && decision !== null && Object.hasOwn(decision, 'value') ? decision.value : decision
}

function answerRefusal(error: unknown, jobId: string): unknown {
  if (!isFlowError(error)) return error
  if (error.code === 'conflict') {
    const facts = { error: 'Job is not resumable', code: 'NOT_RESUMABLE', message: STALE }
    return refused(409, jobId, facts)
  }
  if (error.code !== 'invalid_answer') return error
  const isAction = error.detail.startsWith('action_id ')
  const message = isAction
    ? "decision.action_id is not one of the pending request's allowed_decisions."
    : error.detail
  return refused(422, jobId, { error: 'Invalid decision', code: 'INVALID_DECISION', message })
}

function refused(
  status: number,
  jobId: string,
  facts: { readonly error: string; readonly code: string; readonly message?: string },
): Error {
  return refuse(status, facts.error, { body: { ...facts, job_id: jobId } })
}
