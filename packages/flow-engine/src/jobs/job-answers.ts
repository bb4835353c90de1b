import type { Runtime } from '@x/wire'
import { FlowError, invalidRequest } from '../errors.ts'
import type { JobQueue } from '../store/job-store.ts'
import type { BuildJobs } from './build-jobs.ts'
import type { JobQueries } from './job-queries.ts'
import type { JobSeal } from './job-seal.ts'
import {
  checkAnswer,
  requestIdOf,
  toPendingQuestion,
  type StoredQuestion,
} from './stored-question.ts'

/** Maximum number of questions in one list. */
const MAX_PENDING = 1000

export interface JobAnswersOptions {
  readonly queue: JobQueue
  readonly runtime: Runtime
  readonly seal: JobSeal
  readonly lookup: JobQueries
  /** Awaited before jobs are listed. */
  readonly begin: () => Promise<unknown>
  /** Called when a job is waiting to be claimed. */
  readonly tellWorkers: () => void
}

/** Lists open questions and continues suspended jobs with their answers. */
export function createJobAnswers({
  queue,
  runtime,
  seal,
  lookup,
  begin,
  tellWorkers,
}: JobAnswersOptions): Pick<BuildJobs, 'pending' | 'resume'> {
  const { find, questionOf, record } = lookup
  return {
    async pending({ limit = 100, ...query } = {}) {
      await begin()
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PENDING))
        throw invalidRequest(`limit must be an integer from 1 to ${MAX_PENDING}`)
      const found = await queue.pending({ ...query, limit })
      const questions = found.map(async (job) => ({ job, question: await questionOf(job) }))
      return (await Promise.all(questions)).flatMap(({ job, question }) =>
        question === undefined ? [] : [toPendingQuestion(job, question)],
      )
    },
    async resume(jobId, answer, { userId, requestId } = {}) {
      const job = await find(jobId, userId)
      const question = await questionOf(job)
      const now = runtime.now()
      const isOpen = question !== undefined && (job.wakeAt === null || !isExpired(question, now))
      const isMeant =
        isOpen && (requestId ?? requestIdOf(question, jobId)) === requestIdOf(question, jobId)
      const refused = new FlowError(
        'conflict',
        `Job ${jobId} is not suspended, was already answered, or asks another question`,
      )
      if (!isMeant) throw refused
      await checkAnswer(question, answer)
      if (!(await queue.resume(jobId, await seal.seal(jobId, answer), now, job.attempts)))
        throw refused
      tellWorkers()
      return record(await find(jobId, userId))
    },
  }
}

function isExpired({ expiresAt = null }: StoredQuestion, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now.getTime()
}
