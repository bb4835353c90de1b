import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, SqliteAdapter, type Kysely } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite, type SqliteOptions } from '@x/store-kysely/sqlite'
import { inject } from 'vitest'

/** An empty database of its own, and how it goes away. */
export interface TestDatabase {
  readonly db: Kysely<unknown>
  /** The address that a second process would open. */
  readonly address: string
  close(): Promise<void>
}

/** Ways to make one; `null` address of a server: there is no PostgreSQL here. */
export const postgresUrl = inject('postgresUrl')

export async function memoryDatabase(): Promise<TestDatabase> {
  const db = openSqlite<unknown>(':memory:')
  return { db, address: ':memory:', close: () => db.destroy() }
}

export async function fileDatabase(options?: SqliteOptions): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'x-store-'))
  const address = join(folder, 'store.db')
  const db = openSqlite<unknown>(address, options)
  return {
    db,
    address,
    async close() {
      await db.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function postgresDatabase(): Promise<TestDatabase> {
  const server = postgresUrl ?? ''
  const name = `x_${randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name}`)
  const address = server.replace(/(\/\/[^/]*)\/[^?]*/, `$1/${name}`)
  const db = openPostgres<unknown>(address)
  return {
    db,
    address,
    async close() {
      await db.destroy()
      await onServer(server, `drop database ${name} with (force)`)
    },
  }
}

/** A PostgreSQL database over a pool of the host's own. */
export async function hostPoolDatabase(options: PoolConfig = {}): Promise<TestDatabase> {
  const database = await postgresDatabase()
  const { address } = database
  const pool = new Pool({ connectionString: address, ...options })
  // The database is dropped while connections of the ended pool are still being closed.
  pool.on('error', () => undefined)
  return {
    db: openPostgres<unknown>(pool),
    address,
    async close() {
      await pool.end()
      await database.close()
    },
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const db = openPostgres<unknown>(url, { maxConnections: 1 })
  await sql.raw(statement).execute(db)
  await db.destroy()
}

const tablesOf = new WeakMap<object, string[]>()

/** Empties every table, so that many tests can use one database. */
export async function emptyTables(db: Kysely<unknown>): Promise<void> {
  let tables = tablesOf.get(db)
  if (tables === undefined) {
    const found = (await db.introspection.getTables()).map(({ name }) => name)
    // Triggers count while users and groups go, so their counts go last.
    tables = found
      .filter((name) => /^(?:scim|flow|portal)_/.test(name))
      .toSorted((a, b) => Number(a === 'scim_count') - Number(b === 'scim_count'))
    tablesOf.set(db, tables)
  }
  const deletes = tables.map((name) => `delete from ${name}`)
  await db.transaction().execute(async (tx) => {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
    for (const statement of isSqlite ? deletes : [deletes.join(';')]) {
      await sql.raw(statement).execute(tx)
    }
  })
}
