import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { sql } from 'kysely'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres, type PostgresOptions } from '@x/store-kysely/postgres'
import { postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

/** A server in between that can cut connections, or forget them without a word. */
async function startProxy(address: string) {
  const url = new URL(address)
  const folder = url.searchParams.get('host')
  const target =
    folder === null
      ? { host: url.hostname, port: Number(url.port || 5432) }
      : { path: `${folder}/.s.PGSQL.${url.port || 5432}` }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const inner = connect(target)
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    address: url.href,
    /** What is open now is never answered again. */
    forget: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe.skipIf(postgresUrl === null)('FL-25, FL-26: lost connections of PostgreSQL', () => {
  let database: TestDatabase
  const cleanups: (() => unknown)[] = []
  const uncaught: unknown[] = []
  const note = (error: unknown): void => void uncaught.push(error)

  beforeEach(async () => {
    database = await postgresDatabase()
    process.on('uncaughtException', note)
  })
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
    process.off('uncaughtException', note)
    await database.close()
    const [first] = uncaught.splice(0)
    if (first !== undefined) throw first
  })

  const open = (address = database.address, options: PostgresOptions = {}) => {
    const db = openPostgres<unknown>(address, options)
    cleanups.push(() => db.destroy())
    return db
  }
  const killAll = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db)

  test('FL-25: every client of a pool has an error listener from its creation on', async () => {
    const pool = new Pool({ connectionString: database.address })
    cleanups.push(() => pool.end())
    pool.on('error', () => undefined)
    openPostgres<unknown>(pool)
    const client = await pool.connect()
    expect(client.listenerCount('error')).toBeGreaterThan(0)
    client.emit('error', new Error('lost between its connection and its first use'))
    client.release(true)
  })

  test('FL-25: reads and transactions on killed idle connections are repeated on new ones', async () => {
    const db = open()
    const read = () => sql<{ n: number }>`select 1 as n`.execute(db)
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([read(), read(), read()])
      await killAll()
      const answers = await Promise.all([
        read(),
        db.transaction().execute((tx) => sql`select 1 as n`.execute(tx)),
        read(),
      ])
      expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]])
    }
  })

  test('FL-25: a statement in the middle of a transaction is not repeated', async () => {
    const db = open()
    await sql`create table counted (n int)`.execute(db)
    const failing = db.transaction().execute(async (tx) => {
      await sql`insert into counted values (1)`.execute(tx)
      await killAll()
      await sql`insert into counted values (2)`.execute(tx)
    })
    await expect(failing).rejects.toMatchObject({ kind: 'unreachable' })
    expect((await sql`select n from counted`.execute(db)).rows).toEqual([])
  })

  test('FL-26: connections that die silently are given up, and new ones work', async () => {
    const proxy = await startProxy(database.address)
    cleanups.push(proxy.close)
    const db = open(proxy.address, { maxConnections: 2, statementTimeoutMs: 100 })
    const read = () => sql`select 1 as n`.execute(db)
    await Promise.all([read(), read()])
    proxy.forget()
    const lost = await Promise.allSettled([read(), read()])
    for (const one of lost) {
      expect(one).toMatchObject({ status: 'rejected', reason: { kind: 'unreachable' } })
    }
    expect((await read()).rows).toEqual([{ n: 1 }])
  })

  test('FL-22: connections limit statements, locks and idle transactions', async () => {
    const { rows } = await sql<{ name: string; setting: string }>`select name, setting
      from pg_settings where name in ('statement_timeout', 'lock_timeout',
        'idle_in_transaction_session_timeout') order by name`.execute(open())
    expect(rows.map(({ setting }) => setting)).toEqual(['10000', '5000', '10000'])
  })

  test('FL-26: a statement that takes too long is cancelled', async () => {
    const db = open(database.address, { statementTimeoutMs: 50 })
    await expect(sql`select pg_sleep(30)`.execute(db)).rejects.toMatchObject({ kind: 'busy' })
  })
})
