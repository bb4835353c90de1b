import type { RunLimits } from '../graph/plan/limits.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import type { JobQueries } from './job-queries.ts'
import type { JobRunnerOptions } from './job-runner-options.ts'
import { jobChannel } from './read-events.ts'
import { appendCancelled } from './recover.ts'
import type { JobRunner } from './run-job.ts'
import { supersedeCard } from './superseded-card.ts'

/** The channel that announces cancelled jobs to the process that runs them. */
export const CANCEL_CHANNEL = 'job-cancel'

export interface CancelJobOptions
  extends
    Pick<BuildJobsOptions, 'services' | 'servicesOf'>,
    Pick<JobRunnerOptions, 'store' | 'runtime' | 'codec'> {
  readonly limits: RunLimits
  readonly lookup: JobQueries
  readonly runner: JobRunner
}

/**
 * Cancels a job in whichever process runs it; a job that no process runs ends here. A job that has
 * ended stays as it is.
 * @throws FlowError `not_found`
 */
export async function cancelJob(
  { store, runtime, codec, limits, lookup, runner, ...host }: CancelJobOptions,
  jobId: string,
  userId: string | undefined,
): Promise<void> {
  const { queue, bus } = store
  const job = await lookup.find(jobId, userId)
  if (job.finishedAt !== null) return
  const question = await lookup.questionOf(job)
  const request = question === undefined ? null : await codec.decode(job)
  await queue.requestCancel(jobId, runtime.now())
  runner.cancel(jobId)
  bus.publish(CANCEL_CHANNEL, jobId)
  // A job that was claimed meanwhile is ended by its worker (DR-16).
  const now = job.state === 'running' ? job : await queue.get(jobId)
  if (now?.state !== 'cancelled') return
  codec.forget(jobId)
  const services = request && (host.servicesOf?.(request) ?? host.services)
  const card = { question, messages: services?.messages, runtime, limits }
  await appendCancelled(store, now, await supersedeCard(now, card))
  runner.dismiss(jobId)
  bus.publish(jobChannel(jobId), '')
}
