// Runs each night (.ci/night).
import { setTimeout as delay } from 'node:timers/promises'
import { needs } from '@x/test-kit/needs'
import { describe, expect, test } from 'vitest'
import { startPostgresProxy } from '../server/postgres-proxy.ts'
import type { Started } from '../server/start-server.ts'
import { expectOnce, LEASE_MS, withFleet } from './fleet.ts'

const WITHIN = { timeout: 30_000, interval: 50 }
const TEST = { ...needs('postgres'), timeout: 120_000 }

describe('several servers on one PostgreSQL', () => {
  test('FL-2 web serves and runs no builds; worker runs builds and serves no API', TEST, () =>
    withFleet(
      async ({ outside, headers, build, events, start, flow }, web) => {
        const id = await build(web)
        const direct = await fetch(`${web.url}/api/v1/run/${flow}`, {
          method: 'POST',
          headers,
          body: '{"input_value":"x"}',
        })
        expect(direct.status).toBe(200)
        expect(outside.orders).toHaveLength(1)
        const worker = await start({ SERVICE_ROLE: 'worker' })
        expectOnce(await events(web, id))
        expect(outside.orders).toHaveLength(2)
        for (const path of ['/health', '/health/ready'])
          expect((await fetch(worker.url + path)).status).toBe(200)
        for (const path of ['/', '/api/v1/version', '/api/v1/scim/v2/Users']) {
          const answer = await fetch(worker.url + path, { headers })
          const detail = 'This process runs jobs and serves no API (SERVICE_ROLE=worker).'
          expect([answer.status, await answer.json()]).toEqual([404, { detail }])
        }
      },
      { SERVICE_ROLE: 'web' },
    ),
  )

  test('FL-80, FL-81 the fleet shows its processes, and what waits for whom', TEST, () =>
    withFleet(
      async ({ build, start, headers, echo }, web) => {
        const read = async (): Promise<Record<string, never>> => {
          const answer = await fetch(`${web.url}/api/v1/monitor/fleet`, { headers })
          return (await answer.json()) as Record<string, never>
        }
        for (let n = 0; n < 3; n += 1) await build(web, echo)
        const waiting = { queued: 3, running: 0, suspects: 0, expired_leases: 0 }
        const own = { username: 'admin', queued: 3, running: 0 }
        const one = { name: expect.stringMatching(/^web-1 /) as string, role: 'web', places: 0 }
        await expect.poll(read, WITHIN).toMatchObject({
          processes: [one],
          jobs: waiting,
          users: [own],
          database: { connections: expect.any(Number) as number, oldest_transaction: null },
        })
        const metrics = await (await fetch(`${web.url}/metrics`)).text()
        expect(metrics).toMatch(/^flow_fleet_processes\{role="web"\} 1$/m)
        expect(metrics).toMatch(/^flow_jobs_oldest_queued_seconds 0?\.?\d+/m)
        await start({ SERVICE_ROLE: 'worker', SERVICE_PROCESS_NAME: 'worker-1' })
        await expect.poll(read, WITHIN).toMatchObject({
          processes: [one, { role: 'worker', places: 64, draining: false }],
          jobs: { queued: 0, ended_last_minute: { succeeded: 3, failed: 0, cancelled: 0 } },
        })
      },
      { SERVICE_ROLE: 'web', SERVICE_PROCESS_NAME: 'web-1', SERVICE_METRICS: 'true' },
    ),
  )

  test(
    'FL-20, FL-13, FL-31 after kill -9 another finishes the build; FL-32 a repeated request joins it',
    TEST,
    () =>
      withFleet(async ({ outside, headers, flow, start }, first) => {
        const second = await start()
        outside.hold()
        const ask = (server: Started, signal?: AbortSignal) =>
          fetch(`${server.url}/api/v1/run/${flow}`, {
            method: 'POST',
            signal: signal ?? null,
            headers: { ...headers, 'idempotency-key': 'order-17' },
            body: '{"input_value":"One, please"}',
          })
        const lost = ask(first).catch((error: unknown) => error)
        await expect.poll(outside.waiting, WITHIN).toBe(1)
        // The second one may run what the first one queued.
        const runsFirst = outside.left() === 0
        expect(runsFirst).toBe(true)
        await first.end('SIGKILL')
        await lost
        const limit = AbortSignal.timeout(1.5 * LEASE_MS + 5000)
        const again = ask(second, limit)
        const more = ask(second, limit)
        await expect.poll(() => outside.calls() > 1 || outside.left() === 0, WITHIN).toBe(true)
        outside.letGo()
        const answers = await Promise.all([again, more])
        const texts = await Promise.all(answers.map((answer) => answer.text()))
        for (const { status, headers: sent } of answers)
          expect([status, sent.get('idempotency-replayed')]).toEqual([200, 'true'])
        expect(texts[0]).toBe(texts[1])
        expect(texts[0]).toContain('It is ordered')
        expect(outside.orders).toHaveLength(1)
      }),
  )

  test(
    'FL-23 a worker without its database stops at the end of its lease and works again after',
    TEST,
    () =>
      withFleet(
        async ({ outside, address, build, events, start }, web) => {
          const proxy = await startPostgresProxy(address)
          try {
            const cutOff = await start({
              SERVICE_ROLE: 'worker',
              SERVICE_DATABASE_URL: proxy.address,
            })
            outside.hold()
            const id = await build(web)
            await expect.poll(outside.waiting, WITHIN).toBe(1)
            proxy.freeze()
            await expect.poll(outside.left, WITHIN).toBe(1)
            await start({ SERVICE_ROLE: 'worker' })
            await expect.poll(outside.waiting, WITHIN).toBe(1)
            outside.letGo()
            expectOnce(await events(web, id))
            expect(outside.orders).toHaveLength(1)
            expect(outside.calls()).toBe(2)
            proxy.thaw()
            await expect
              .poll(async () => (await fetch(`${cutOff.url}/health/ready`)).status, WITHIN)
              .toBe(200)
          } finally {
            await proxy.close()
          }
        },
        { SERVICE_ROLE: 'web' },
      ),
  )

  test(
    'FL-28 one of two is killed five times under load: every build ends once, none failed',
    TEST,
    () =>
      withFleet(
        async ({ build, events, start, echo }, web) => {
          const workers = [
            await start({ SERVICE_ROLE: 'worker' }),
            await start({ SERVICE_ROLE: 'worker' }),
          ]
          const ids: string[] = []
          const over = new AbortController()
          const load = async (): Promise<void> => {
            while (!over.signal.aborted) {
              ids.push(await build(web, echo))
              await delay(50)
            }
          }
          const loaded = load()
          for (let n = 0; n < 5; n += 1) {
            await delay(LEASE_MS / 2)
            await workers[n % 2]?.end('SIGKILL')
            workers[n % 2] = await start({ SERVICE_ROLE: 'worker' })
          }
          over.abort()
          await loaded
          expect(ids.length).toBeGreaterThan(50)
          for (const id of ids) expectOnce(await events(web, id), 3)
        },
        { SERVICE_ROLE: 'web', SERVICE_MAX_BUILDS_PER_USER: '32' },
      ),
  )

  test('FL-34 with 300 ms on each round trip no lease is lost and no build runs twice', TEST, () =>
    withFleet(
      async ({ outside, address, build, events, start }, web) => {
        const proxy = await startPostgresProxy(address)
        try {
          const slow = { SERVICE_ROLE: 'worker', SERVICE_DATABASE_URL: proxy.address }
          const workers = [await start(slow), await start(slow)]
          proxy.delay(300)
          const ids = await Promise.all(Array.from({ length: 8 }, () => build(web)))
          for (const id of ids) expectOnce(await events(web, id))
          expect([outside.orders.length, outside.calls()]).toEqual([8, 8])
          for (const worker of workers) expect(worker.output()).not.toMatch(/"level":"error"/)
        } finally {
          await proxy.close()
        }
      },
      { SERVICE_ROLE: 'web' },
    ),
  )

  test('FL-27 a start waits for its database, and says what is missing', TEST, () =>
    withFleet(async ({ address, start }) => {
      const proxy = await startPostgresProxy(address)
      await proxy.leave()
      const port = 20_000 + (process.pid % 20_000)
      const starting = start({ SERVICE_DATABASE_URL: proxy.address, PORT: String(port) })
      const url = `http://127.0.0.1:${port}`
      const get = async (path: string): Promise<unknown> =>
        await fetch(url + path).then(
          async (answer) => [answer.status, await answer.json()],
          () => undefined,
        )
      const missing = { status: 'not ready', failed: 'database' }
      await expect.poll(() => get('/health/ready'), WITHIN).toEqual([503, missing])
      expect(await get('/health')).toEqual([200, { status: 'ok' }])
      await proxy.comeBack()
      await starting
      expect(await get('/health/ready')).toEqual([200, { status: 'ready' }])
      await proxy.close()
    }),
  )
})
