import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { SettingsError } from './settings/read-settings.ts'

/**
 * Opens the database that an address names (`sqlite:PATH`, `sqlite::memory:`, `postgres://...`; a
 * file in `folder` by default) and brings its tables up to date.
 * @throws SettingsError for any other address
 */
export async function openDatabase(address: string | undefined, folder: string) {
  const db = open(address ?? `sqlite:${join(folder, 'service.db')}`)
  await migrateFlow(db)
  await migrateScim(db)
  return { db, kind: describe(address, folder) }
}

function open(address: string) {
  if (/^postgres(ql)?:\/\//.test(address)) return openPostgres(address)
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(address)?.[1]
  if (path === undefined)
    throw new SettingsError('SERVICE_DATABASE_URL must begin with sqlite: or postgres://')
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  return openSqlite(path)
}

/** For the start message: no user, no password. */
function describe(address: string | undefined, folder: string): string {
  if (address === undefined) return `SQLite, ${join(folder, 'service.db')}`
  if (address.startsWith('sqlite:')) return `SQLite, ${address.slice('sqlite:'.length)}`
  return `PostgreSQL, ${new URL(address).host}${new URL(address).pathname}`
}
