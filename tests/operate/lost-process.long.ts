// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { ordering } from './fleet.ts'
import { inFolder, startServer, type Started } from '../server/start-server.ts'

/** The lease of a job of the shipped server. */
const LEASE_MS = 30_000
const WITHIN = { timeout: 4 * LEASE_MS, interval: 200 }

/** A shop that counts its orders, and a model whose answers wait until they are let go. */
async function outside() {
  const orders: string[] = []
  const waiting: ServerResponse[] = []
  let questions = 0
  const server = createServer((request, reply) => {
    request.resume()
    if (request.url === '/order') {
      orders.push(request.method ?? '')
      reply.writeHead(200, { 'content-type': 'application/json' }).end('{"order":1}')
      return
    }
    questions += 1
    waiting.push(reply)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const message = { role: 'assistant', content: 'It is ordered' }
  const answer = { id: 'a', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    questions: () => questions,
    letGo() {
      for (const reply of waiting.splice(0))
        reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Lost {
  readonly shop: Awaited<ReturnType<typeof outside>>
  readonly jobId: string
  /** The process that runs the job. */
  readonly holder: Started
  readonly other: Started
  readonly events: (server: Started) => Promise<string>
}

/** A build that has ordered and waits for the model in one process, and a second process beside it. */
async function withLost(use: (lost: Lost) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const database = await postgresDatabase()
    const shop = await outside()
    const environment = {
      SERVICE_CONFIG_DIR: join(folder, 'shared'),
      SERVICE_DATABASE_URL: database.address,
      SERVICE_SECRET_KEY: 'a secret that all of them are given',
      SERVICE_SSRF_ALLOW: '127.0.0.1',
      LOG_LEVEL: 'error',
    }
    const running: Started[] = []
    const start = async (): Promise<Started> => {
      const server = await startServer(environment)
      running.push(server)
      return server
    }
    try {
      const holder = await start()
      const key = /^API key: (\S+)/m.exec(holder.output())?.[1] ?? ''
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const post = async (path: string, body: string): Promise<Record<string, string>> => {
        const answer = await fetch(holder.url + path, { method: 'POST', headers, body })
        return (await answer.json()) as Record<string, string>
      }
      const variable = { name: 'MODEL_KEY', value: 'sk-any', type: 'Credential' }
      await post('/api/v1/variables/', JSON.stringify({ ...variable, default_fields: [] }))
      const { id } = await post('/api/v1/flows/', ordering(shop.url))
      const body = JSON.stringify({ inputs: { input_value: 'One, please', session: 's' } })
      const { job_id: jobId = '' } = await post(`/api/v1/build/${id}/flow?resumable=true`, body)
      await expect.poll(shop.questions, WITHIN).toBe(1)
      const other = await start()
      await use({
        shop,
        jobId,
        holder,
        other,
        async events({ url }) {
          const path = `/api/v1/build/${jobId}/events?event_delivery=streaming`
          return (await fetch(url + path, { headers })).text()
        },
      })
    } finally {
      shop.close()
      await Promise.all(running.map((server) => server.end('SIGKILL')))
      await database.close()
    }
  })
}

function expectOnce(events: string): void {
  const count = (text: string): number => events.split(text).length - 1
  expect(count('"event": "end"')).toBe(1)
  expect(count('"event": "error"')).toBe(0)
  expect(count('"event": "vertices_sorted"')).toBe(1)
  // One for each of the six vertices, whichever process built it.
  expect(count('"event": "end_vertex"')).toBe(6)
  expect(events).toContain('It is ordered')
}

describe('a replica is lost in the middle of a build', needs('postgres'), () => {
  test(
    'DR-7, DR-11: after kill -9 the other replica finishes the build once and does not repeat the order',
    () =>
      withLost(async ({ shop, holder, other, events }) => {
        process.kill(holder.pid, 'SIGKILL')
        await expect.poll(shop.questions, WITHIN).toBe(2)
        const read = events(other)
        shop.letGo()
        expectOnce(await read)
        expect(shop.orders).toEqual(['POST'])
      }),
    300_000,
  )

  test(
    'DR-7, DR-8: a replica that freezes beyond its lease does no harm when it resumes, and keeps serving',
    () =>
      withLost(async ({ shop, holder, other, events }) => {
        process.kill(holder.pid, 'SIGSTOP')
        await expect.poll(shop.questions, WITHIN).toBe(2)
        process.kill(holder.pid, 'SIGCONT')
        const reads = [events(other), events(holder)]
        await expect
          .poll(async () => (await fetch(`${holder.url}/health`)).status, WITHIN)
          .toBe(200)
        shop.letGo()
        for (const read of reads) expectOnce(await read)
        expect(shop.orders).toEqual(['POST'])
        expect(await events(holder)).toBe(await events(other))
      }),
    300_000,
  )
})
