import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DatabaseError } from '@x/store-kysely'
import { migrateFlow } from '@x/store-kysely/flow'
import { openPostgres, type PostgresOptions } from '@x/store-kysely/postgres'
import { migrateScim } from '@x/store-kysely/scim'
import { openSqlite, type SqliteOptions } from '@x/store-kysely/sqlite'
import { SettingsError } from './settings/read-settings.ts'

/**
 * Opens a database (`sqlite:PATH`, `sqlite::memory:`, `postgres://...`; default: a file in `folder`) and
 * migrates its tables.
 * @throws SettingsError for any other address, or if the database cannot be reached
 */
export async function openDatabase(
  address: string | undefined,
  { folder, waitMs = 0, waiting, ...options }: OpenOptions,
) {
  const db = explained(() => open(address ?? `sqlite:${join(folder, 'service.db')}`, options))
  const end = performance.now() + waitMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      await migrateFlow(db)
      await migrateScim(db)
      break
    } catch (error) {
      if (!mayComeBack(error) || performance.now() + pause > end) {
        await db.destroy()
        throw explanationOf(error)
      }
      waiting?.()
      await setTimeout(pause)
    }
  }
  return { db, kind: describe(address, folder) }
}

const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 2000

interface OpenOptions extends DatabaseOptions {
  readonly folder: string
  /** How long a database that cannot be reached is waited for, in milliseconds. Default 0. */
  readonly waitMs?: number
  /** Called whenever it could not be reached. */
  readonly waiting?: () => void
}

/** It is absent, not yet started, or has no connection left; a wrong password or name stays wrong. */
function mayComeBack(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.kind !== 'unreachable') return false
  return !/authentication failed|does not exist|is not a database/.test(error.message)
}

/** Opens the database of a server that may be running, for short transactions beside it; migrates nothing. */
export function joinDatabase(address: string | undefined, { folder }: { readonly folder: string }) {
  const url = address ?? `sqlite:${join(folder, 'service.db')}`
  return explained(() => open(url, { exclusive: false }))
}

function explained<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw explanationOf(error)
  }
}

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/file is not a database/, 'Name another file'],
  [/authentication failed/, 'Check user and password'],
  [/does not exist/, 'Create it'],
  [/ENOTFOUND/, 'Check the host; a password with @, / or % must be percent-encoded'],
  [/ECONNREFUSED|timeout/i, 'Start the database, or check host and port'],
]

/** Adds advice for the operator to the error of a database that cannot be reached. */
function explanationOf(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  if (error.kind === 'busy')
    return new SettingsError(`SERVICE_DATABASE_URL: ${error.message}`, { cause: error })
  if (error.kind !== 'unreachable') return error
  const [, remedy = 'Check the address'] =
    REMEDIES.find(([reason]) => reason.test(error.message)) ?? []
  return new SettingsError(`SERVICE_DATABASE_URL: ${error.message}. ${remedy}`, { cause: error })
}

interface Joining {
  /** Default true. */
  readonly exclusive?: boolean
}

/** Options of both kinds of database; each uses its own. */
type DatabaseOptions = Pick<SqliteOptions, 'metrics'> &
  Pick<PostgresOptions, 'maxConnections' | 'statementTimeoutMs'>

function open(address: string, { exclusive = true, ...options }: DatabaseOptions & Joining) {
  if (/^postgres(ql)?:\/\//.test(address)) return openPostgres(address, options)
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(address)?.[1]
  if (path === undefined)
    throw new SettingsError('SERVICE_DATABASE_URL must begin with sqlite: or postgres://')
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const { maxConnections: _, statementTimeoutMs: __, ...own } = options
  return openSqlite(path, { ...own, exclusive })
}

/** For the start message: without user and password. */
function describe(address: string | undefined, folder: string): string {
  if (address === undefined) return `SQLite, ${join(folder, 'service.db')}`
  if (address.startsWith('sqlite:')) return `SQLite, ${address.slice('sqlite:'.length)}`
  return `PostgreSQL, ${new URL(address).host}${new URL(address).pathname}`
}
