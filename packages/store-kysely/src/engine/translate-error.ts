import { DatabaseError, type DatabaseErrorKind } from './database-error.ts'

/** Maps driver errors; only this file knows their codes. */
export function translateError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const code = textOf(error, 'code')
  return code.startsWith('SQLITE_') ? fromSqlite(error, code) : fromPostgres(error, code)
}

const MESSAGES: Readonly<Record<Exclude<DatabaseErrorKind, 'unique' | 'other'>, string>> = {
  busy: 'The database is locked by another connection',
  full: 'The disk that holds the database is full',
  'read-only': 'The database is read-only',
  unreachable: 'The database cannot be reached',
}

const SQLITE_KINDS: readonly (readonly [prefix: string, kind: keyof typeof MESSAGES])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_CANTOPEN', 'unreachable'],
  ['SQLITE_IOERR', 'unreachable'],
]

function fromSqlite(error: unknown, code: string): DatabaseError {
  const message = textOf(error, 'message')
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    const constraint =
      message
        .slice(message.lastIndexOf(': ') + 2)
        .split(', ')
        .at(-1) ?? ''
    return new DatabaseError('unique', message, { cause: error, constraint })
  }
  return failure(error, SQLITE_KINDS.find(([prefix]) => code.startsWith(prefix))?.[1])
}

/** By SQLSTATE class or full code (PostgreSQL documentation, appendix A). */
const POSTGRES_KINDS: readonly (readonly [prefix: string, kind: keyof typeof MESSAGES])[] = [
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  ['53100', 'full'],
  ['25006', 'read-only'],
  ['25P03', 'unreachable'],
  ['08', 'unreachable'],
  ['28', 'unreachable'],
  ['3D000', 'unreachable'],
  ['53', 'unreachable'],
  ['57P', 'unreachable'],
]

/**
 * Serialization failure, deadlock, lock timeout, and an outdated SQLite snapshot: nothing was written, and
 * a retry sees the new state.
 */
const RETRYABLE = new Set(['40001', '40P01', '55P03', 'SQLITE_BUSY_SNAPSHOT'])

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
])

/** Errors `pg` throws without a code. */
const CONNECTION_TEXT =
  /connection (terminated|ended|timeout)|query read timeout|timeout exceeded when trying to connect|not queryable|pool (is|after)/i

function fromPostgres(error: unknown, code: string): DatabaseError {
  const message = textOf(error, 'message')
  if (code === '23505') {
    // Unique constraints are named `table__column` (see the migrations), which SQLite reports as
    // `table.column`.
    const constraint = textOf(error, 'constraint').replace('__', '.')
    return new DatabaseError('unique', message, { cause: error, constraint })
  }
  const known = POSTGRES_KINDS.find(([prefix]) => code.startsWith(prefix))?.[1]
  const lost = NETWORK_CODES.has(code) || (code === '' && CONNECTION_TEXT.test(message))
  return failure(error, known ?? (lost ? 'unreachable' : undefined))
}

function failure(error: unknown, kind: keyof typeof MESSAGES | undefined): DatabaseError {
  const message = textOf(error, 'message')
  if (kind === undefined) return new DatabaseError('other', message, { cause: error })
  const retryable = RETRYABLE.has(textOf(error, 'code'))
  return new DatabaseError(kind, `${MESSAGES[kind]} (${message})`, { cause: error, retryable })
}

function textOf(error: unknown, key: 'code' | 'message' | 'constraint'): string {
  if (typeof error !== 'object' || error === null) return key === 'message' ? String(error) : ''
  const value: unknown = Reflect.get(error, key)
  return typeof value === 'string' ? value : ''
}
