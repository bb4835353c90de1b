import type {
  ClaimedJob,
  JobOutcome,
  JobState,
  JobUsage,
  ListedJob,
  NewJob,
  StoredJob,
} from '@x/flow-engine/store'
import {
  bool,
  date,
  encodeText,
  json,
  mapping,
  nullable,
  number,
  plain,
  text,
} from '../records/columns.ts'
import type { RowOf } from '../schema/tables/flow.ts'

type NewFields = Omit<NewJob, 'maxQueued'>

const newFields = {
  id: plain(),
  flowId: plain(),
  userId: nullable(plain()),
  request: text,
  resumable: bool,
  lane: plain(),
  createdAt: date,
  maxRunningPerUser: nullable(number),
  flowVersion: nullable(number),
  sessionId: nullable(text),
  priority: number,
}

/** The fields of a newly queued job. */
export const enqueued = mapping<NewFields, RowOf<NewFields>>(newFields)

/** All fields except request, question and answer, which may be long. */
const listedFields = {
  state: plain<JobState>(),
  startedAt: nullable(date),
  finishedAt: nullable(date),
  attempts: number,
  cancelRequested: bool,
  error: nullable(json<{ readonly code: string; readonly detail: string }>()),
  crashes: number,
  askedAt: nullable(date),
  wakeAt: nullable(date),
  usage: nullable(json<JobUsage>()),
}

export const jobMapping = mapping<StoredJob, RowOf<StoredJob>>({
  ...newFields,
  ...listedFields,
  question: json<unknown>(),
  answer: json<unknown>(),
})

const { request: _request, ...newListed } = newFields

/** The fields of a listed job. */
export const listedJobMapping = mapping<ListedJob, RowOf<ListedJob>>({
  ...newListed,
  ...listedFields,
})

/** A row with the fields of the job's claim. */
export type ClaimedRow = RowOf<StoredJob> & {
  readonly worker: string | null
  readonly lease_until: number | null
}

/** Reads a job as seen by the worker that holds it, or held it last. */
export function toClaimedJob(row: ClaimedRow): ClaimedJob {
  return {
    worker: row.worker ?? '',
    leaseUntil: new Date(row.lease_until ?? 0),
    ...jobMapping.fromRow(row),
    state: 'running',
  }
}

/** The columns of `ClaimedRow`. */
export const CLAIMED_COLUMNS = [...jobMapping.columns, 'worker', 'lease_until']

/** What the end of a job changes. */
export function finishValues(
  jobId: string,
  worker: string,
  { state, finishedAt, error, usage, result }: JobOutcome,
) {
  return {
    jobId,
    worker,
    state,
    finishedAt: finishedAt.getTime(),
    error: error === undefined ? null : JSON.stringify(error),
    usage: usage === undefined ? null : JSON.stringify(usage),
    result: result === undefined ? null : encodeText(result),
  }
}
