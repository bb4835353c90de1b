import { FlowError } from '../errors.ts'
import type { JobStore, StoredJob } from '../store/job-store.ts'
import type { JobRecord } from './build-jobs.ts'
import { forkedFrom } from './fork-job.ts'
import { toJobRecord } from './job-record.ts'
import type { JobSeal } from './job-seal.ts'
import type { LiveJob } from './live-job.ts'
import type { RequestCodec } from './request-codec.ts'
import { isStoredQuestion, type StoredQuestion } from './stored-question.ts'

/** Finds stored jobs and what is stored with them. */
export interface JobQueries {
  /**
   * @param userId if given, jobs of other users are not found
   * @throws FlowError `not_found`
   */
  readonly find: (jobId: string, userId: string | undefined) => Promise<StoredJob>
  /** Like `find`, without reading a job that is queued or running here. */
  readonly check: (jobId: string, userId: string | undefined) => Promise<void>
  /** The question of a suspended job; undefined while it sleeps. */
  readonly questionOf: (job: StoredJob) => Promise<StoredQuestion | undefined>
  /** The public form of a job. */
  readonly record: (job: StoredJob) => Promise<JobRecord>
  /** Checkpoints of a job, by vertex. */
  readonly statesOf: (jobId: string) => Promise<Map<string, string>>
}

export interface JobQueriesOptions {
  readonly store: JobStore
  readonly seal: JobSeal
  readonly codec: RequestCodec
  readonly live: (jobId: string) => LiveJob | undefined
  /** Awaited before a job is read. */
  readonly begin: () => Promise<unknown>
}

export function createJobQueries({
  store,
  seal,
  codec,
  live,
  begin,
}: JobQueriesOptions): JobQueries {
  const { queue, log, checkpoints } = store

  const find: JobQueries['find'] = async (jobId, userId) => {
    await begin()
    const job = await queue.get(jobId)
    if (job === null || (userId !== undefined && job.userId !== userId))
      throw new FlowError('not_found', `Job ${jobId} not found`)
    return job
  }
  const questionOf: JobQueries['questionOf'] = async (job) => {
    if (job.state !== 'suspended' || job.question === null) return undefined
    const question = await seal.open(job.id, job.question)
    return isStoredQuestion(question) ? question : undefined
  }
  return {
    find,
    questionOf,
    async check(jobId, userId) {
      const own = codec.kept(jobId)
      if (own === undefined || (userId !== undefined && own.userId !== userId))
        await find(jobId, userId)
    },
    async record(job) {
      const lastSeq = live(job.id)?.lastSeq ?? (await log.lastSeq(job.id))
      const fork = forkedFrom(job.request)
      const made = toJobRecord(job, lastSeq, await questionOf(job))
      return fork === undefined ? made : { ...made, forkedFrom: fork }
    },
    async statesOf(jobId) {
      const stored = await checkpoints.list(jobId)
      return new Map(stored.map(({ vertexId, state }) => [vertexId, state]))
    },
  }
}
