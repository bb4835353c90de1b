/**
 * A database error, described in the same terms for every driver.
 *
 * - `unique`: a unique index refused a row; `constraint` is `table.column` with the last column of
 *   that index.
 * - `busy`: another connection held a lock for too long, a deadlock was broken, or a statement took
 *   longer than the database allows.
 * - `full`, `read-only`: the disk or the file does not take writes.
 * - `unreachable`: no connection, or it was lost.
 * - `other`: everything else; a defect of the program or of the file.
 */
export type DatabaseErrorKind = 'unique' | 'busy' | 'full' | 'read-only' | 'unreachable' | 'other'

const BRAND = Symbol.for('@x/store-kysely/database-error')

/** Thrown by all queries through `openSqlite` and `openPostgres`; the driver's error is the cause. */
export class DatabaseError extends Error {
  readonly kind: DatabaseErrorKind
  readonly constraint: string | null
  /** True if the same transaction may succeed when retried immediately. */
  readonly retryable: boolean

  constructor(
    kind: DatabaseErrorKind,
    message: string,
    options: {
      readonly cause?: unknown
      readonly constraint?: string
      readonly retryable?: boolean
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'DatabaseError'
    this.kind = kind
    this.constraint = options.constraint ?? null
    this.retryable = options.retryable ?? false
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for those of another copy of this package as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }
}
