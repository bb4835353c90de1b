import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createMetrics, prometheusHandler } from '@x/flow-engine/metrics'
import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, test } from 'vitest'
import { inFolder, startServer, type Environment, type Started } from '../server/start-server.ts'

type Families = ReturnType<typeof parsePrometheus>

const family = (families: Families, name: string) =>
  families.find((one) => one.name === name)?.metrics ?? []

async function scraped(url: string, headers: Record<string, string> = {}): Promise<Families> {
  const response = await fetch(`${url}/metrics`, { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePrometheus(await response.text())
}

async function withServer(
  environment: Environment,
  use: (server: Started, apiKey: string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const server = await startServer({ SERVICE_CONFIG_DIR: folder, ...environment })
    try {
      await use(server, /^API key: (\S+)/m.exec(server.output())?.[1] ?? '')
    } finally {
      await server.end('SIGTERM')
    }
  })
}

const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(url, { headers })).status

describe('OP-6, OP-7, OP-8 metrics of the server', () => {
  test('requests, runs, vertices and process figures are exposed in the Prometheus text format', () =>
    withServer({ SERVICE_METRICS: 'true' }, async ({ url }, apiKey) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const body = '{"input_value":"hello"}'
      await fetch(`${url}/api/v1/run/echo`, { method: 'POST', headers, body })
      await fetch(`${url}/nothing/here`)
      const families = await scraped(url)
      expect(family(families, 'http_requests_total')).toEqual(
        expect.arrayContaining([
          {
            labels: {
              service: 'flow',
              route: '/api/v1/run/{flow_id_or_name}',
              method: 'POST',
              status: '2xx',
            },
            value: '1',
          },
          {
            labels: { service: 'flow', route: 'other', method: 'GET', status: '4xx' },
            value: '1',
          },
        ]),
      )
      expect(family(families, 'flow_runs_total')).toEqual([
        { labels: { outcome: 'succeeded' }, value: '1' },
      ])
      expect(family(families, 'flow_runs_active')).toEqual([{ value: '0' }])
      expect(family(families, 'flow_vertices_total').map(({ labels }) => labels?.['type'])).toEqual(
        expect.arrayContaining(['ChatInput', 'ChatOutput']),
      )
      const [memory] = family(families, 'process_resident_memory_bytes')
      expect(Number(memory?.value)).toBeGreaterThan(1e7)
      expect(family(families, 'build_info')).toHaveLength(1)
    }))

  test('OP-8 streams, channels, the queue and the database are exposed', () =>
    withServer({ SERVICE_METRICS: 'true' }, async ({ url }) => {
      const left = new AbortController()
      const stream = await fetch(`${url}/surfaces/demo/stream`, {
        headers: { accept: 'text/event-stream' },
        signal: left.signal,
      })
      expect(stream.status).toBe(200)
      const value = (families: Families, name: string, label = '') =>
        family(families, name).find(
          ({ labels = {} }) => label === '' || Object.values(labels).includes(label),
        )?.value
      const families = await scraped(url)
      expect(value(families, 'http_streams_open', 'surface')).toBe('1')
      expect(value(families, 'surface_channels_open')).toBe('1')
      expect(value(families, 'surface_subscribers')).toBe('1')
      expect(value(families, 'surface_slow_subscribers_total')).toBe('0')
      expect(value(families, 'flow_jobs_open', 'queued')).toBe('0')
      const text = await (await fetch(`${url}/metrics`)).text()
      const counts = text.matchAll(
        /^store_call_duration_seconds_count\{database="sqlite",kind="(\w+)"/gm,
      )
      const kinds = new Set([...counts].map(([, kind]) => kind))
      expect([...kinds]).toEqual(expect.arrayContaining(['select', 'insert', 'transaction']))
      expect(families.map(({ name }) => name)).toContain('store_writer_wait_seconds')
      left.abort()
      await expect
        .poll(async () => value(await scraped(url), 'http_streams_open', 'surface'))
        .toBe('0')
    }))

  test("off by default; on the server's own port hidden from proxied requests", async () => {
    await withServer({}, async ({ url }) => expect(await statusOf(`${url}/metrics`)).toBe(404))
    await withServer({ SERVICE_METRICS: 'true' }, async ({ url }) => {
      for (const name of ['x-forwarded-for', 'forwarded', 'via'])
        expect(await statusOf(`${url}/metrics`, { [name]: '203.0.113.7' })).toBe(404)
    })
  })

  test("readable with a token if one is set; with a separate port, not on the server's own", async () => {
    const token = 'a-token-for-the-scraper'
    const SERVICE_METRICS_TOKEN = token
    await withServer({ SERVICE_METRICS: 'true', SERVICE_METRICS_TOKEN }, async ({ url }) => {
      expect(await statusOf(`${url}/metrics`)).toBe(404)
      expect(await statusOf(`${url}/metrics`, { authorization: 'Bearer wrong' })).toBe(404)
      await scraped(url, { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.7' })
    })
    const SERVICE_METRICS_PORT = String(20_000 + (process.pid % 20_000))
    await withServer({ SERVICE_METRICS: 'true', SERVICE_METRICS_PORT }, async ({ url }) => {
      expect(await statusOf(`${url}/metrics`)).toBe(404)
      const own = `http://127.0.0.1:${SERVICE_METRICS_PORT}`
      await scraped(own)
      expect(await statusOf(`${own}/health`)).toBe(404)
    })
  })
})

test('OP-8 10,000 paths, tenants and users add no series', async () => {
  const metrics = createMetrics()
  const engine = createFlowService({
    store: createMemoryFlowStore(),
    files: createMemoryBlobStore(),
    secretKey: 'a secret key of the tests, long enough',
    metrics,
  })
  const tenantOf = new Map<Request, string>()
  const { handle } = createScimService({
    store: createMemoryScimStore(),
    baseUrl: 'http://h/scim/v2',
    auth: { kind: 'token', token: 'a-token-of-the-directory' },
    resolveTenant: (request) => tenantOf.get(request) ?? 'none',
    metrics,
  })
  const scrape = async (): Promise<string> =>
    (await prometheusHandler(metrics)(new Request('http://h/metrics'))).text()
  const headers = { authorization: 'Bearer a-token-of-the-directory' }
  const ask = async (n: number): Promise<void> => {
    await engine.handler(new Request(`http://h/path-${n}/x?q=${n}`))
    await engine.handler(new Request(`http://h/api/v1/flows/flow-${n}`))
    const scim = new Request(`http://h/scim/v2/Users/user-${n}`, { headers })
    tenantOf.set(scim, `tenant-${n}`)
    await handle(scim)
    tenantOf.delete(scim)
  }
  for (let n = 0; n < 50; n += 1) await ask(n)
  const before = await scrape()
  for (let n = 50; n < 10_000; n += 1) await ask(n)
  const after = await scrape()
  await engine.close()
  const lines = (text: string): number => text.split('\n').length
  expect(lines(after)).toBe(lines(before))
  expect(after).not.toMatch(/path-\d|tenant-\d|user-\d|flow-\d/)
  const requests = family(parsePrometheus(after), 'http_requests_total')
  expect(requests.reduce((sum, { value }) => sum + Number(value), 0)).toBe(30_000)
})
