import type { ClaimedJob, JobState, NewJob, StoredJob } from '../store/job-store.ts'

/** The fields of a record in Redis, as HGETALL gives them. */
export type JobFields = ReadonlyMap<string, string>

type Fixed = Omit<NewJob, 'maxQueued'>

/** The same as JSON has it; jobs of older versions have no lane. */
type PlainFixed = Omit<Fixed, 'createdAt' | 'lane'> & {
  readonly createdAt: number
  readonly lane?: string
}

/** What never changes about a job, as one text. */
export function formatFixed({ createdAt, ...job }: Fixed): string {
  return JSON.stringify({ ...job, createdAt: createdAt.getTime() })
}

/** Names and values in turn. */
export function parseFields(list: readonly unknown[]): JobFields {
  const fields = new Map<string, string>()
  for (let n = 0; n + 1 < list.length; n += 2) fields.set(String(list[n]), String(list[n + 1]))
  return fields
}

export function toStoredJob(fields: JobFields): StoredJob {
  const { createdAt, lane = '', ...fixed } = parseFixed(fields)
  return {
    ...fixed,
    lane,
    createdAt: new Date(createdAt),
    state: (fields.get('state') ?? 'queued') as JobState,
    startedAt: dateOf(fields.get('startedAt')),
    finishedAt: dateOf(fields.get('finishedAt')),
    attempts: Number(fields.get('attempts')),
    cancelRequested: fields.get('cancel') === '1',
    error: jsonOf(fields.get('error')) as StoredJob['error'],
    question: jsonOf(fields.get('question')),
    answer: jsonOf(fields.get('answer')),
    crashes: Number(fields.get('crashes') ?? 0),
    askedAt: dateOf(fields.get('askedAt')),
    wakeAt: dateOf(fields.get('wakeAt')),
  }
}

/** A job as the worker sees it that holds it, or held it last. */
export function toClaimedJob(fields: JobFields): ClaimedJob {
  return {
    ...toStoredJob(fields),
    state: 'running',
    worker: fields.get('worker') ?? '',
    leaseUntil: new Date(Number(fields.get('lease'))),
  }
}

function parseFixed(fields: JobFields): PlainFixed {
  return JSON.parse(fields.get('job') ?? 'null') as PlainFixed
}

function jsonOf(text: string | undefined): unknown {
  return JSON.parse(text ?? 'null')
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined || text === '' ? null : new Date(Number(text))
}
