const BRAND = Symbol.for('x.flow.store-error')

/** Unique constraints of a store, as `<resource>.<property>`. */
export type UniqueConstraint =
  | 'user.id'
  | 'user.username'
  | 'apiKey.id'
  | 'apiKey.hash'
  | 'variable.id'
  | 'variable.name'
  | 'project.id'
  | 'project.name'
  | 'collection.id'
  | 'collection.name'
  | 'flow.id'
  | 'flow.name'
  | 'flow.endpointName'
  | 'flow.webhookName'
  | 'flowVersion.id'
  | 'flowVersion.number'
  | 'userFile.id'
  | 'userFile.name'
  | 'userFile.path'
  | 'message.id'
  | 'component.id'
  | 'component.name'
  | 'tag.id'
  | 'tag.name'
  | 'mcpServer.name'
  | 'refreshFamily.id'
  | 'oidcLink.subject'
  | 'job.id'
  | 'event.seq'

/** A write would have violated a unique constraint. Nothing was written. */
export class UniqueConflictError extends Error {
  readonly [BRAND] = 'unique'
  readonly constraint: UniqueConstraint

  constructor(constraint: UniqueConstraint, options?: { cause?: unknown }) {
    super(`Unique constraint ${constraint} was violated`, options)
    this.name = 'UniqueConflictError'
    this.constraint = constraint
  }
}

/** The database is unreachable or busy; the same call may succeed later. */
export class StoreUnavailableError extends Error {
  readonly [BRAND] = 'unavailable'
  /** The connection was lost, so the same call may succeed on a new one. Default false. */
  readonly connectionLost: boolean

  constructor(options?: { cause?: unknown; message?: string; connectionLost?: boolean }) {
    super(options?.message ?? 'The store is not available', options)
    this.name = 'StoreUnavailableError'
    this.connectionLost = options?.connectionLost ?? false
  }
}

/** More jobs are waiting than `NewJob.maxQueued` allows. Nothing was queued. */
export class QueueFullError extends Error {
  readonly [BRAND] = 'queue-full'
  readonly limit: number

  constructor(limit: number) {
    super(`More than ${limit} jobs are waiting`)
    this.name = 'QueueFullError'
    this.limit = limit
  }
}

/** The job has been claimed again since the writer claimed it. Nothing was written. */
export class StaleWriterError extends Error {
  readonly [BRAND] = 'stale-writer'

  constructor(jobId: string, fence: number) {
    super(`Claim ${fence} of job ${jobId} is no longer the latest`)
    this.name = 'StaleWriterError'
  }
}

/** Recognises a UniqueConflictError, also from another copy of this package. */
export function isUniqueConflict(value: unknown): value is UniqueConflictError {
  return brandOf(value) === 'unique'
}

/** Recognises a StoreUnavailableError, also from another copy of this package. */
export function isStoreUnavailable(value: unknown): value is StoreUnavailableError {
  return brandOf(value) === 'unavailable'
}

/** True for a StoreUnavailableError that only means that the connection was lost. */
export function isConnectionLost(value: unknown): boolean {
  return isStoreUnavailable(value) && value.connectionLost
}

/** Recognises a QueueFullError, also from another copy of this package. */
export function isQueueFull(value: unknown): value is QueueFullError {
  return brandOf(value) === 'queue-full'
}

/** Recognises a StaleWriterError, also from another copy of this package. */
export function isStaleWriter(value: unknown): value is StaleWriterError {
  return brandOf(value) === 'stale-writer'
}

function brandOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? (value as { [BRAND]?: unknown })[BRAND]
    : undefined
}
