import type { ClaimedJob, JobState, ListedJob, NewJob, StoredJob } from '../store/job-store.ts'

/** The fields of a record, as returned by HGETALL. */
export type JobFields = ReadonlyMap<string, string>

type Fixed = Omit<NewJob, 'maxQueued'>

/** The JSON form; jobs of older versions have no lane, version or session. */
type PlainFixed = Omit<Fixed, 'createdAt' | 'lane' | 'flowVersion' | 'sessionId' | 'priority'> & {
  readonly priority?: number
  readonly createdAt: number
  readonly lane?: string
  readonly flowVersion?: number | null
  readonly sessionId?: string | null
}

/** Serialises the immutable fields of a job. */
export function formatFixed({ createdAt, ...job }: Fixed): string {
  return JSON.stringify({ ...job, createdAt: createdAt.getTime() })
}

/** Parses alternating names and values. */
export function parseFields(list: readonly unknown[]): JobFields {
  const fields = new Map<string, string>()
  for (let n = 0; n + 1 < list.length; n += 2) fields.set(String(list[n]), String(list[n + 1]))
  return fields
}

export function toStoredJob(fields: JobFields): StoredJob {
  const {
    createdAt,
    lane = '',
    flowVersion = null,
    sessionId = null,
    priority = 0,
    ...fixed
  } = parseFixed(fields)
  return {
    ...fixed,
    ...changingFields(fields),
    lane,
    flowVersion,
    sessionId,
    priority,
    createdAt: new Date(createdAt),
    question: jsonOf(fields.get('question')),
    answer: jsonOf(fields.get('answer')),
  }
}

/**
 * Reads a job from the short fields returned by LIST.
 * @param userId owner of the list
 */
export function toListedJob(fields: JobFields, userId: string): ListedJob {
  const session = fields.get('session') ?? ''
  return {
    ...changingFields(fields),
    id: fields.get('id') ?? '',
    flowId: fields.get('flow') ?? '',
    userId,
    resumable: fields.get('resumable') === '1',
    lane: fields.get('lane') ?? '',
    maxRunningPerUser: numberOf(fields.get('limit')),
    flowVersion: numberOf(fields.get('version')),
    sessionId: session === '' ? null : session.slice(1),
    priority: 0,
    createdAt: new Date(Number(fields.get('createdAt'))),
  }
}

function changingFields(fields: JobFields) {
  return {
    state: (fields.get('state') ?? 'queued') as JobState,
    startedAt: dateOf(fields.get('startedAt')),
    finishedAt: dateOf(fields.get('finishedAt')),
    attempts: Number(fields.get('attempts')),
    cancelRequested: fields.get('cancel') === '1',
    error: jsonOf(fields.get('error')) as StoredJob['error'],
    crashes: Number(fields.get('crashes') ?? 0),
    askedAt: dateOf(fields.get('askedAt')),
    wakeAt: dateOf(fields.get('wakeAt')),
    usage: jsonOf(fields.get('usage')) as StoredJob['usage'],
  }
}

/** Reads a job as seen by the worker that holds it, or held it last. */
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

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === '' ? null : Number(text)
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined || text === '' ? null : new Date(Number(text))
}
