// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer, type Started } from '../server/start-server.ts'

/** As a load balancer asks. */
const PROBE_MS = 100

/** Sends each request to a replica that is ready, in turn; repeats none. */
async function loadBalancer() {
  const replicas = new Map<string, boolean>()
  const ending = new AbortController()
  const probe = async (url: string): Promise<void> => {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (replicas.has(url)) replicas.set(url, answer?.status === 200)
  }
  const timer = setInterval(() => {
    for (const url of replicas.keys()) void probe(url)
  }, PROBE_MS)
  let turn = 0
  const server = createServer((request, reply) => {
    const ready = [...replicas].filter(([, isReady]) => isReady).map(([url]) => url)
    const target = ready[(turn += 1) % Math.max(1, ready.length)]
    const forward = async (): Promise<void> => {
      if (target === undefined) throw new Error('no replica is ready')
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name, value]) =>
            typeof value === 'string' && !/^(host|connection|content-length)$/.test(name),
        ) as [string, string][],
      )
      const body = parts.length === 0 ? null : new Uint8Array(Buffer.concat(parts))
      const { method = 'GET', url = '/' } = request
      const answer = await fetch(target + url, { method, headers, body, signal: ending.signal })
      const text = await answer.text()
      reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    }
    forward().catch((error: unknown) => {
      const { message, cause } = error as Error
      reply.writeHead(502).end(`${target}: ${message} ${String(cause)}`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add({ url }: Started) {
      replicas.set(url, false)
      await expect.poll(() => replicas.get(url), { interval: 50, timeout: 20_000 }).toBe(true)
    },
    remove: ({ url }: Started) => void replicas.delete(url),
    close() {
      clearInterval(timer)
      ending.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}

test(
  'OP-13 a rolling update of two replicas under traffic loses no requests or jobs',
  { ...needs('postgres'), timeout: 240_000 },
  () =>
    inFolder(async (folder) => {
      const database = await postgresDatabase()
      const environment = {
        SERVICE_CONFIG_DIR: join(folder, 'shared'),
        SERVICE_DATABASE_URL: database.address,
        SERVICE_SECRET_KEY: 'a secret that all of them are given',
        SERVICE_DRAIN_SECONDS: '2',
        LOG_LEVEL: 'error',
      }
      const balancer = await loadBalancer()
      const running: Started[] = []
      const start = async (): Promise<Started> => {
        const server = await startServer(environment)
        running.push(server)
        await balancer.add(server)
        return server
      }
      const lost: string[] = []
      const jobs: string[] = []
      let answered = 0
      const over = new AbortController()
      try {
        const first = await start()
        const key = /^API key: (\S+)/m.exec(first.output())?.[1] ?? ''
        const headers = { 'x-api-key': key, 'content-type': 'application/json' }
        const call = async (path: string, body?: string): Promise<string> => {
          const method = body === undefined ? 'GET' : 'POST'
          const response = await fetch(balancer.url + path, {
            method,
            headers,
            ...(body === undefined ? {} : { body }),
          })
          const text = await response.text()
          if (response.ok) answered += 1
          else lost.push(`${method} ${path}: ${response.status} ${text}`)
          return text
        }
        const flows = JSON.parse(await call('/api/v1/flows/?remove_example_flows=true')) as {
          id: string
        }[]
        const flow = flows[0]?.id ?? ''
        const second = await start()

        const traffic = async (work: () => Promise<unknown>): Promise<void> => {
          while (!over.signal.aborted) {
            await work()
            await new Promise((resolve) => setTimeout(resolve, 40))
          }
        }
        const run = () => call('/api/v1/run/echo', '{"input_value":"hello"}')
        const build = async (): Promise<void> => {
          const text = await call(`/api/v1/build/${flow}/flow`, '{"inputs":{"input_value":"x"}}')
          const id = /"job_id": ?"([^"]+)"/.exec(text)?.[1]
          if (id !== undefined) jobs.push(id)
        }
        const clients = [traffic(run), traffic(run), traffic(build), traffic(() => call('/health'))]

        for (const old of [first, second]) {
          await start()
          const ended = old.end('SIGTERM')
          expect(await ended).toEqual({ code: 0, signal: null })
          balancer.remove(old)
        }
        over.abort()
        await Promise.all(clients)

        expect(lost).toEqual([])
        expect(answered).toBeGreaterThan(100)
        expect(jobs.length).toBeGreaterThan(10)
        for (const id of jobs) {
          const events = await call(`/api/v1/build/${id}/events?event_delivery=streaming`)
          expect(events).toContain('"event": "end"')
          expect(events).not.toContain('"event": "error"')
        }
        expect(lost).toEqual([])
      } finally {
        over.abort()
        balancer.close()
        await Promise.all(running.map((server) => server.end('SIGTERM').catch(() => undefined)))
        await database.close()
      }
    }),
)
