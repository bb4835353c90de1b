import { needs } from '@x/test-kit/needs'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { isStoreUnavailable as isScimUnavailable } from '@x/scim-core'
import { createBuildJobs } from '@x/flow-engine'
import { isStoreUnavailable, type EventLog } from '@x/flow-engine/store'
import type { RunEvent } from '@x/flow-engine'
import {
  backupSqlite,
  checkSqlite,
  compactDatabase,
  DatabaseError,
  optimizeDatabase,
  removeTombstones,
} from '@x/store-kysely'
import { createFlowStore, createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, type TestDatabase } from './databases.ts'
import { TENANT, user } from './scim-corpus.ts'
import { components, streamingFlow } from './streaming-flow.ts'

const big = (n: number) => user(n, { nickName: 'x'.repeat(20_000) })

describe('a SQLite file', () => {
  let database: TestDatabase
  let db: Kysely<unknown>
  beforeEach(async () => {
    database = await fileDatabase()
    db = database.db
    await migrateScim(db)
    await migrateFlow(db)
  })
  afterEach(() => database.close())

  test('a full disk is a clear error; answered writes are kept, and writing continues later', async () => {
    const store = createScimStore(db)
    await store.users.insert(TENANT, user(1, {}))
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 8)}`.execute(db)
    const failed = await store.users
      .insert(TENANT, big(2))
      .then(() => store.users.insert(TENANT, big(3)))
      .catch((error: unknown) => error)
    expect(isScimUnavailable(failed)).toBe(true)
    expect(failed).toMatchObject({ message: expect.stringMatching(/disk .* is full/) })
    expect(await store.users.get(TENANT, user(1, {}).id)).not.toBeNull()
    expect(await checkSqlite(db)).toEqual([])
    await sql`pragma max_page_count = 100000`.execute(db)
    await store.users.insert(TENANT, big(4))
    expect(await store.users.get(TENANT, big(4).id)).not.toBeNull()
  })

  test('a full disk fails the appends of a batch and keeps none of them', async () => {
    const { log } = createJobStore(db)
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 4)}`.execute(db)
    const append = (seq: number) =>
      log.append('j', [{ seq, event: 'token', data: JSON.stringify('x'.repeat(30_000)) }])
    const outcomes = await Promise.allSettled([append(0), append(1)])
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(await log.read('j', -1, 10)).toEqual([])
    await sql`pragma max_page_count = 100000`.execute(db)
    await append(0)
    expect(await log.read('j', -1, 10)).toHaveLength(1)
  })

  test('FE-60 a build whose events do not fit on the disk ends as failed when there is space again', async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 1)}`.execute(db)
    const store = createJobStore(db)
    let failures = 0
    const append: EventLog['append'] = async (jobId, events) => {
      try {
        await store.log.append(jobId, events)
      } catch (error) {
        failures += 1
        // The events of the build did not fit, nor did its end.
        if (failures === 2) await sql`pragma max_page_count = 100000`.execute(db)
        throw error
      }
    }
    const errors: unknown[] = []
    const jobs = createBuildJobs({
      components,
      store: { ...store, log: { ...store.log, append } },
      heartbeatMs: 20,
      onError: (error) => errors.push(error),
    })
    const { id } = await jobs.start({ flow: streamingFlow(400) })
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) events.push(event)
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'internal' } })
    expect(errors.some(isStoreUnavailable)).toBe(true)
    const stored: RunEvent[] = []
    for await (const event of jobs.events(id)) stored.push(event)
    expect(stored.at(-1)?.event).toBe('end')
    await jobs.close()
  })

  const readOnly = expect.stringMatching(/read-only/)
  /** Why writes fail where reading works; nothing is written. */
  async function refusals(reading: Kysely<unknown>): Promise<unknown[]> {
    const { users } = createScimStore(reading)
    expect(await users.get(TENANT, user(1, {}).id)).not.toBeNull()
    const event = { seq: 0, event: 'token', data: '"a"' }
    const failures = await Promise.all([
      users.insert(TENANT, user(2, {})).catch((error: unknown) => error),
      createJobStore(reading)
        .log.append('j', [event])
        .catch((error: unknown) => error),
    ])
    expect(failures.map((error) => isScimUnavailable(error) || isStoreUnavailable(error))).toEqual([
      true,
      true,
    ])
    await reading.destroy()
    expect(await createScimStore(db).users.get(TENANT, user(2, {}).id)).toBeNull()
    return failures
  }

  test('a read-only database can be read; writes say why they fail', async () => {
    await createScimStore(db).users.insert(TENANT, user(1, {}))
    const reading = openSqlite<unknown>(database.address)
    await sql`pragma query_only = on`.execute(reading)
    expect(await refusals(reading)).toMatchObject([{ message: readOnly }, { message: readOnly }])
  })

  // Permissions do not bind root, and better-sqlite3 opens no addresses.
  test.skipIf(Number(process.versions.napi) >= 10)('so can a file opened read-only', async () => {
    await createScimStore(db).users.insert(TENANT, user(1, {}))
    const reading = openSqlite<unknown>(`file:${database.address}?mode=ro`)
    expect(await refusals(reading)).toMatchObject([{ message: readOnly }, { message: readOnly }])
  })

  test('a file that cannot be opened or is no database is named in the error', () => {
    expect(() => openSqlite('/nowhere/at/all.db')).toThrow(
      /\/nowhere\/at\/all\.db cannot be opened/,
    )
    const path = `${database.address}.txt`
    writeFileSync(path, 'no database, '.repeat(1000))
    expect(() => openSqlite(path)).toThrow(DatabaseError)
  })

  test('another process that writes for too long makes the store unavailable, not wrong', async () => {
    const other = openSqlite<unknown>(database.address, { busyTimeoutMs: 1 })
    await db.transaction().execute(async (tx) => {
      await createFlowStore(tx).variables.list('nobody')
      const failed = await createScimStore(other)
        .users.insert(TENANT, user(1, {}))
        .catch((error: unknown) => error)
      expect(isScimUnavailable(failed)).toBe(true)
    })
    await createScimStore(other).users.insert(TENANT, user(1, {}))
    await other.destroy()
  })

  test('reads outside a transaction do not wait for it and do not see it', async () => {
    const store = createScimStore(db)
    await store.transaction(TENANT, async (tx) => {
      await tx.users.insert(TENANT, user(1, {}))
      expect(await store.users.get(TENANT, user(1, {}).id)).toBeNull()
    })
    expect(await store.users.get(TENANT, user(1, {}).id)).not.toBeNull()
  })

  test('a closed database is unavailable', async () => {
    const closed = openSqlite<unknown>(':memory:')
    await closed.destroy()
    await closed.destroy()
    const failed = await createFlowStore(closed)
      .ping()
      .catch((error: unknown) => error)
    expect(isStoreUnavailable(failed)).toBe(true)
  })

  test('backup: the copy is a whole database, made while the other is in use', async () => {
    await createScimStore(db).users.insert(TENANT, user(1, {}))
    const folder = mkdtempSync(join(tmpdir(), 'x-backup-'))
    const path = join(folder, 'copy.db')
    await backupSqlite(db, path)
    await expect(backupSqlite(db, path)).rejects.toBeInstanceOf(DatabaseError)
    const copy = openSqlite<unknown>(path)
    expect(await createScimStore(copy).users.get(TENANT, user(1, {}).id)).not.toBeNull()
    expect(await checkSqlite(copy)).toEqual([])
    await copy.destroy()
    rmSync(folder, { recursive: true })
  })

  test('maintenance: optimize, compact and remove old tombstones', async () => {
    const store = createScimStore(db)
    await store.users.insert(TENANT, user(1, {}))
    await store.users.update(
      TENANT,
      { ...user(1, {}), version: 9, deletedAt: new Date(1000) },
      user(1, {}).version,
    )
    await optimizeDatabase(db)
    expect(await removeTombstones(db, new Date(1000))).toEqual({ tombstones: 0 })
    expect(await removeTombstones(db, new Date(1001))).toEqual({ tombstones: 1 })
    await compactDatabase(db)
    expect(existsSync(database.address)).toBe(true)
    expect(await store.users.list(TENANT, { limit: 1, withTotal: true })).toEqual({
      total: 0,
      records: [],
    })
  })

  test('a copy of the files of a running database opens with everything committed', async () => {
    await createScimStore(db).users.insert(TENANT, user(1, {}))
    for (const suffix of ['', '-wal']) {
      copyFileSync(database.address + suffix, `${database.address}.copy${suffix}`)
    }
    const copy = openSqlite<unknown>(`${database.address}.copy`)
    expect(await createScimStore(copy).users.get(TENANT, user(1, {}).id)).not.toBeNull()
    await copy.destroy()
  })
})

describe('PostgreSQL that is not there', () => {
  test('every method says so, and nothing hangs', async () => {
    const db = openPostgres<unknown>('postgres://nobody@127.0.0.1:1/none')
    const failed = await createFlowStore(db)
      .ping()
      .catch((error: unknown) => error)
    expect(isStoreUnavailable(failed)).toBe(true)
    expect(failed).toMatchObject({ cause: { kind: 'unreachable' } })
    const scim = await createScimStore(db)
      .users.get(TENANT, 'x')
      .catch((error: unknown) => error)
    expect(isScimUnavailable(scim)).toBe(true)
    await db.destroy()
  })

  test('an invalid address is refused at once, without its password', () => {
    expect(() => openPostgres('mysql://root:secret@host/db')).toThrow(/postgres:\/\//)
    expect(() => openPostgres('mysql://root:secret@host/db')).not.toThrow(/secret/)
  })
})

describe('PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateScim(database.db)
    await migrateFlow(database.db)
  })
  afterEach(() => database.close())

  test('after its connections were ended it works again with new ones', async () => {
    const store = createScimStore(database.db)
    await store.users.insert(TENANT, user(1, {}))
    const other = openPostgres<unknown>(database.address)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(other)
    await other.destroy()
    await store.users.get(TENANT, user(1, {}).id).catch(() => null)
    expect(await store.users.get(TENANT, user(1, {}).id)).not.toBeNull()
  })

  test('a conflict inside a transaction can be caught, and the transaction goes on', async () => {
    const store = createScimStore(database.db)
    await store.users.insert(TENANT, user(1, {}))
    await store.transaction(TENANT, async (tx) => {
      const twin = { ...user(1, {}), id: user(2, {}).id }
      await expect(tx.users.insert(TENANT, twin)).rejects.toMatchObject({
        constraint: 'user.userName',
      })
      await tx.users.insert(TENANT, user(3, {}))
    })
    expect(await store.users.get(TENANT, user(3, {}).id)).not.toBeNull()
  })

  test('a full disk and a read-only server are clear errors, and nothing is half written', async () => {
    const { db } = database
    const store = createScimStore(db)
    await store.users.insert(TENANT, user(1, {}))
    await sql`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db)
    await sql`create trigger full_disk before insert on flow_job_event for each statement
      execute function full_disk()`.execute(db)
    const { log } = createJobStore(db)
    const append = (seq: number) => log.append('j', [{ seq, event: 'token', data: '"a"' }])
    for (const outcome of await Promise.allSettled([append(0), append(1)])) {
      expect(outcome.status === 'rejected' && isStoreUnavailable(outcome.reason)).toBe(true)
      expect(outcome).toMatchObject({
        reason: { message: expect.stringMatching(/disk .* is full/) },
      })
    }
    expect(await log.read('j', -1, 10)).toEqual([])
    await sql`drop trigger full_disk on flow_job_event`.execute(db)
    await append(0)
    expect(await log.read('j', -1, 10)).toHaveLength(1)

    const reading = openPostgres<unknown>(readingAddress(database.address))
    const failed = await createScimStore(reading)
      .users.insert(TENANT, user(2, {}))
      .catch((error: unknown) => error)
    expect(isScimUnavailable(failed)).toBe(true)
    expect(failed).toMatchObject({ message: expect.stringMatching(/read-only/) })
    expect(await createScimStore(reading).users.get(TENANT, user(1, {}).id)).not.toBeNull()
    await reading.destroy()
    expect(await store.users.get(TENANT, user(2, {}).id)).toBeNull()
  })

  test('maintenance runs on it too', async () => {
    await optimizeDatabase(database.db)
    await compactDatabase(database.db)
    await expect(backupSqlite(database.db, '/tmp/x')).rejects.toBeInstanceOf(TypeError)
  })
})

/** The same database, over connections that only read. */
function readingAddress(address: string): string {
  const url = new URL(address)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  return url.href
}
