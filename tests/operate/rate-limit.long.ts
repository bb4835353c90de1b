import { needs } from '@x/test-kit/needs'
import { describe, expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { startRedis } from '../server/redis-server.ts'
import {
  inFolder,
  runToEnd,
  startServer,
  type Environment,
  type Started,
} from '../server/start-server.ts'

const QUIET = { LOG_LEVEL: 'silent' }

/** Of a user's bucket nothing comes back in the time of a test. */
const LIMIT = {
  SERVICE_RATE_LIMIT: '1',
  SERVICE_RATE_LIMIT_BURST: '6',
  SERVICE_RATE_LIMIT_ADDRESS: '60000',
}

async function withServers(
  environments: readonly Environment[],
  use: (servers: readonly Started[], key: string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const servers: Started[] = []
    try {
      for (const environment of environments)
        servers.push(
          await startServer({ SERVICE_CONFIG_DIR: folder, ...QUIET, ...LIMIT, ...environment }),
        )
      await use(servers, keyOf(servers[0]))
    } finally {
      await Promise.all(servers.map((server) => server.end('SIGTERM')))
    }
  })
}

const keyOf = (server: Started | undefined): string =>
  /^API key: (\S+)/m.exec(server?.output() ?? '')?.[1] ?? ''

const ask = async (url: string, key: string, path = '/api/v1/flows/') =>
  await fetch(`${url}${path}`, { headers: { 'x-api-key': key } })

const statuses = async (count: number, ...[url, key, path]: Parameters<typeof ask>) =>
  (
    await Promise.all(Array.from({ length: count }, async () => (await ask(url, key, path)).status))
  ).toSorted((a, b) => a - b)

const passed = (found: readonly number[]): number => found.filter((one) => one === 200).length

describe('OP-17 request rate limits of the server', () => {
  test('OP-17: all keys of a user share one bucket; strangers are limited by address; health probes are exempt', () =>
    withServers([{}], async ([server], key) => {
      const { url = '' } = server ?? {}
      const made = await fetch(`${url}/api/v1/api_key/`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: '{"name":"second"}',
      })
      const { api_key: second } = (await made.json()) as { api_key: string }
      // The first request of each key is counted by address: nobody knows whose it is.
      expect((await ask(url, second)).status).toBe(200)
      expect(passed(await statuses(4, url, key))).toBe(4)
      expect(passed(await statuses(10, url, second))).toBe(2)
      const refused = await ask(url, key)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=6;w=360')
      expect(refused.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      expect(await refused.json()).toEqual({
        detail: expect.stringMatching(/^Too many requests; try again in \d+ s\.$/) as string,
      })
      expect(passed(await statuses(20, url, key, '/health'))).toBe(20)
      const unknown = await ask(url, 'sk-made-up')
      expect([unknown.status, unknown.headers.get('ratelimit-policy')]).toEqual([
        403,
        '"default";q=6;w=1',
      ])
    }))

  test('OP-17: a page of an allowed origin can read the refusal and when to retry', () =>
    withServers(
      [{ SERVICE_CORS_ORIGINS: 'https://app.example', SERVICE_RATE_LIMIT_ADDRESS: '1' }],
      async ([server]) => {
        const { url = '' } = server ?? {}
        const from = async (origin: string, method = 'GET', headers: object = {}) =>
          await fetch(`${url}/api/v1/version`, { method, headers: { origin, ...headers } })
        await Promise.all(Array.from({ length: 8 }, () => from('https://app.example')))
        const refused = await from('https://app.example')
        expect(refused.status).toBe(429)
        expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example')
        expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after')
        const foreign = await from('https://evil.example')
        expect(foreign.status).toBe(429)
        expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
        const asked = { 'access-control-request-method': 'GET' }
        const preflight = await from('https://app.example', 'OPTIONS', asked)
        expect(preflight.status).toBe(204)
      },
    ))

  test('OP-17: SCIM and the OpenAI API refuse in their own error formats', async () => {
    const SCIM_TOKEN = 'a-token-of-the-directory-long-enough'
    const settings = { SERVICE_RATE_LIMIT_ADDRESS: '1', SCIM_ENABLED: 'true', SCIM_TOKEN }
    await withServers([settings], async ([server]) => {
      const { url = '' } = server ?? {}
      const scim = async () =>
        await fetch(`${url}/api/v1/scim/v2/Users`, {
          headers: { authorization: `Bearer ${SCIM_TOKEN}` },
        })
      // One by address, six of the tenant.
      const found: number[] = []
      for (let n = 0; n < 8; n += 1) found.push((await scim()).status)
      expect(found).toEqual([200, 200, 200, 200, 200, 200, 200, 429])
      expect(await (await scim()).json()).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '429',
      })
      await statuses(6, url, 'made-up')
      const openai = await ask(url, 'made-up', '/api/openai/v1/models')
      expect([openai.status, await openai.json()]).toEqual([
        429,
        { error: expect.objectContaining({ code: 'rate_limit_exceeded' }) as object },
      ])
    })
  })

  test('OP-17: two servers on one PostgreSQL share the buckets', needs('postgres'), async () => {
    const database = await postgresDatabase()
    const settings = {
      SERVICE_DATABASE_URL: database.address,
      SERVICE_SECRET_KEY: 'a secret that all of them are given',
    }
    await withServers([settings, settings], async ([one, two], key) => {
      const urls = [one?.url ?? '', two?.url ?? '']
      for (const url of urls) expect((await ask(url, key)).status).toBe(200)
      const found = await Promise.all(urls.map((url) => statuses(10, url, key)))
      expect(passed(found.flat())).toBe(6)
    })
    await database.close()
  })

  test(
    'OP-17, OP-20: two servers share buckets in Redis and count separately while it is down',
    needs('redis-server', 'postgres'),
    async () => {
      const redis = await startRedis()
      const database = await postgresDatabase()
      const settings = {
        SERVICE_DATABASE_URL: database.address,
        SERVICE_SECRET_KEY: 'a secret that all of them are given',
        SERVICE_RATE_LIMIT_REDIS_URL: redis.url,
        SERVICE_RATE_LIMIT_BURST: '60',
      }
      await withServers([settings, settings], async ([one, two], key) => {
        const urls = [one?.url ?? '', two?.url ?? '']
        for (const url of urls) expect((await ask(url, key)).status).toBe(200)
        const both = async (): Promise<number> =>
          passed((await Promise.all(urls.map((url) => statuses(80, url, key)))).flat())
        expect(await both()).toBe(60)
        await redis.stop()
        expect(await both()).toBe(120)
        await redis.start()
        // A Redis that came back empty has full buckets again.
        await expect
          .poll(async () => (await ask(urls[0] ?? '', key)).headers.get('ratelimit'), {
            timeout: 15_000,
            interval: 200,
          })
          .toBe('"default";r=59;t=60')
      })
      await database.close()
      await redis.stop()
    },
  )

  test('OP-17: an invalid Redis address stops the start', async () => {
    await inFolder(async (SERVICE_CONFIG_DIR) => {
      const { code, stderr } = await runToEnd({
        SERVICE_CONFIG_DIR,
        ...LIMIT,
        SERVICE_RATE_LIMIT_REDIS_URL: 'localhost:6379',
      })
      expect([code, stderr.trim()]).toEqual([
        1,
        'SERVICE_RATE_LIMIT_REDIS_URL must begin with redis:// or rediss://',
      ])
    })
  })
})
