import { needs } from '@x/test-kit/needs'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPostgres } from '@x/store-kysely/postgres'
import { expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { startPostgresProxy, type PostgresProxy } from '../server/postgres-proxy.ts'
import { inFolder, startServer } from '../server/start-server.ts'

interface Service {
  /** Status and body of an answer. */
  readonly ask: (method: string, path: string, body?: object) => Promise<[number, string]>
  readonly names: () => Promise<string[]>
}

async function withDatabase(
  use: (service: Service, proxy: PostgresProxy) => Promise<void>,
): Promise<void> {
  const database = await postgresDatabase()
  const proxy = await startPostgresProxy(database.address)
  await inFolder(async (folder) => {
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SERVICE_DATABASE_URL: proxy.address,
      LOG_LEVEL: 'silent',
    })
    const key = /^API key: (\S+)/m.exec(server.output())?.[1] ?? ''
    const ask: Service['ask'] = async (method, path, body) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      return [response.status, await response.text()]
    }
    const names: Service['names'] = async () => {
      const [, text] = await ask('GET', '/api/v1/flows/?get_all=true')
      return (JSON.parse(text) as { name: string }[]).map(({ name }) => name).toSorted()
    }
    try {
      await use({ ask, names }, proxy)
    } finally {
      await server.end('SIGTERM')
    }
  })
  await proxy.close()
  await database.close()
}

/** Connections that listen for what other processes say, by their ids. */
async function listeners(address: string): Promise<number[]> {
  const db = openPostgres<unknown>(address, { maxConnections: 1 })
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and query like 'listen%'`.execute(db)
  await db.destroy()
  return rows.map(({ pid }) => pid)
}

const UNAVAILABLE = [503, '{"detail":"Service Unavailable"}']
const flow = (name: string) => ({ name, data: { nodes: [], edges: [] } })

test(
  'OP-20: requests get a 503 while PostgreSQL is down and work again afterwards',
  needs('postgres'),
  () =>
    withDatabase(async ({ ask, names }, proxy) => {
      expect((await ask('POST', '/api/v1/flows/', flow('before')))[0]).toBe(201)
      const before = await names()
      await proxy.leave()
      const answers = await Promise.all([
        ask('GET', '/api/v1/flows/'),
        ask('POST', '/api/v1/flows/', flow('while')),
        ask('POST', '/api/v1/variables/', { name: 'v', value: 'x', default_fields: [] }),
        ask('POST', '/api/v1/run/echo', { input_value: 'hello' }),
        ask('POST', '/api/v1/api_key/', { name: 'k' }),
      ])
      expect(answers).toEqual(answers.map(() => UNAVAILABLE))
      await expect
        .poll(async () => await ask('GET', '/health/ready'), { timeout: 10_000 })
        .toEqual([503, '{"status":"not ready","failed":"database"}'])
      expect((await ask('GET', '/health'))[0]).toBe(200)

      await proxy.comeBack()
      await expect
        .poll(async () => (await ask('GET', '/health/ready'))[0], { timeout: 15_000 })
        .toBe(200)
      expect(await names()).toEqual(before)
      expect((await ask('POST', '/api/v1/flows/', flow('after')))[0]).toBe(201)
      const [status, text] = await ask('POST', '/api/v1/run/echo', { input_value: 'again' })
      expect([status, text]).toEqual([200, expect.stringContaining('again')])
    }),
)

test(
  'OP-20: requests waiting for a hanging PostgreSQL continue when it recovers; no write is lost or duplicated',
  needs('postgres'),
  () =>
    withDatabase(async ({ ask, names }, proxy) => {
      const before = await names()
      proxy.freeze()
      const waiting = Array.from({ length: 5 }, (_, n) =>
        ask('POST', '/api/v1/flows/', flow(`hung ${n}`)),
      )
      expect((await ask('GET', '/health'))[0]).toBe(200)
      await setTimeout(2000)
      proxy.thaw()
      const answers = await Promise.all(waiting)
      const made = answers.filter(([status]) => status === 201).length
      expect(answers.filter(([status]) => status !== 201)).toEqual(
        answers.filter(([status]) => status !== 201).map(() => UNAVAILABLE),
      )
      expect((await names()).length).toBe(before.length + made)
      expect((await ask('POST', '/api/v1/flows/', flow('after')))[0]).toBe(201)
    }),
)

test(
  'OP-20: one connection listens to other processes and stays open; a lost one is replaced by another',
  needs('postgres'),
  () =>
    withDatabase(async ({ ask }, proxy) => {
      expect((await ask('POST', '/api/v1/run/echo', { input_value: 'hello' }))[0]).toBe(200)
      const lasting = async (): Promise<number[]> => {
        await expect.poll(() => listeners(proxy.address), { timeout: 15_000 }).toHaveLength(1)
        const found = await listeners(proxy.address)
        await setTimeout(2500)
        expect(await listeners(proxy.address)).toEqual(found)
        return found
      }
      const first = await lasting()
      await proxy.leave()
      await proxy.comeBack()
      expect(await lasting()).not.toEqual(first)
    }),
)
