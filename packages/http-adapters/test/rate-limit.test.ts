import { jsonResponse } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import {
  createMemoryRateLimitStore,
  withRateLimit,
  type RateLimitOptions,
  type RefusalForm,
} from '@x/http-adapters/rate-limit'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'

const LIMIT = { perSecond: 2, burst: 4 }
const ask = (headers: Record<string, string> = {}): Request =>
  new Request('http://host/x', { headers })
const byName = (request: Request): string | null => request.headers.get('x-name')

function limited(options: Partial<RateLimitOptions<object>> = {}) {
  const clock = { now: 1_000_000 }
  const store = createMemoryRateLimitStore({ runtime: { now: () => new Date(clock.now) } })
  const handler = withRateLimit<object>((request) => jsonResponse(request, 'ok'), {
    key: byName,
    limit: LIMIT,
    store,
    ...options,
  })
  const call = async (name = 'ada') => handler(ask({ 'x-name': name }), {})
  const statuses = async (count: number, name?: string) =>
    await Promise.all(Array.from({ length: count }, async () => (await call(name)).status))
  return { clock, handler, call, statuses }
}

describe('OP-17 withRateLimit', () => {
  test('OP-17: a key gets a burst of its bucket size, and more as time passes', async () => {
    const { clock, statuses, call } = limited()
    expect(await statuses(6)).toEqual([200, 200, 200, 200, 429, 429])
    expect(await statuses(1, 'bob')).toEqual([200])
    clock.now += 499
    expect(await statuses(1)).toEqual([429])
    clock.now += 1
    expect(await statuses(2)).toEqual([200, 429])
    clock.now += 3_600_000
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429])
    clock.now -= 3_600_000
    const late = await call()
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '1'])
  })

  test('OP-20: a store that failed is asked again after a while, also when the clock is set back', async () => {
    const clock = { now: 1_000_000 }
    const runtime = {
      now: () => new Date(clock.now),
      sleep: () => new Promise<void>(() => undefined),
    }
    const asked: string[] = []
    const store = {
      take: (key: string) => {
        asked.push(key)
        throw new Error('away')
      },
    }
    const { call } = limited({ store, runtime })
    await call()
    await call()
    expect(asked).toHaveLength(1)
    clock.now -= 3_600_000
    await call()
    expect(asked).toHaveLength(2)
    clock.now += 5000
    await call()
    expect(asked).toHaveLength(3)
  })

  test('OP-17: a refusal carries header fields of the host, other answers do not', async () => {
    const headers = ({ headers: sent }: Request): Record<string, string> => ({
      'access-control-allow-origin': sent.get('x-name') ?? '',
    })
    const { call, statuses } = limited({ headers })
    expect((await call()).headers.has('access-control-allow-origin')).toBe(false)
    await statuses(3)
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('access-control-allow-origin')).toBe('ada')
  })

  test('OP-17: answers have the remaining quota, refusals a Retry-After', async () => {
    const { call } = limited({ name: 'user' })
    const first = await call()
    expect(first.headers.get('ratelimit-policy')).toBe('"user";q=4;w=2')
    expect(first.headers.get('ratelimit')).toBe('"user";r=3;t=1')
    await Promise.all([call(), call(), call()])
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit')).toBe('"user";r=0;t=2')
  })

  test.each<[RefusalForm, string, object]>([
    ['flow', 'application/json', { detail: 'Too many requests; try again in 1 s.' }],
    [
      'scim',
      'application/scim+json',
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '429',
        detail: 'Too many requests; try again in 1 s.',
      },
    ],
    ['openai', 'application/json', { error: expect.objectContaining({ param: null }) as object }],
    [
      'problem',
      'application/problem+json',
      expect.objectContaining({ status: 429, title: 'Too many requests' }) as object,
    ],
  ])('OP-17: the form %s', async (form, type, body) => {
    const { statuses, call } = limited({ form: () => form })
    await statuses(4)
    const refused = await call()
    expect(refused.headers.get('content-type')).toBe(type)
    expect(await refused.json()).toEqual(body)
  })

  test('OP-17: requests without a key are not limited; keys of any length have a bucket', async () => {
    const { handler, statuses } = limited()
    const free = await handler(ask(), {})
    expect([free.status, free.headers.get('ratelimit')]).toEqual([200, null])
    // Long keys are hashed asynchronously, so the requests reach the bucket in any order.
    const long = await statuses(5, 'x'.repeat(5000))
    expect(long.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 429])
    expect(await statuses(1, `${'x'.repeat(4999)}y`)).toEqual([200])
  })

  test('OP-17: two limits around one handler, each with its line in the fields', async () => {
    const inner = limited({ name: 'user' }).handler
    const outer = withRateLimit<object>(inner, {
      key: () => 'all',
      limit: { perSecond: 1, burst: 100 },
      name: 'all',
    })
    const { headers } = await outer(ask({ 'x-name': 'ada' }), {})
    expect(headers.get('ratelimit-policy')).toBe('"user";q=4;w=2, "all";q=100;w=100')
  })

  test('OP-17: a store that fails or hangs is not waited for again; this process counts meanwhile', async () => {
    const errors: unknown[] = []
    let asked = 0
    const { statuses } = limited({
      store: {
        take() {
          asked += 1
          return new Promise(() => undefined)
        },
      },
      storeTimeoutMs: 20,
      onStoreError(error) {
        errors.push(error)
        throw new Error('the host fails too')
      },
    })
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429])
    expect([asked, errors.length]).toEqual([1, 1])
  })

  test('OP-17: memory holds a limited number of keys; the least recently used is dropped', async () => {
    const store = createMemoryRateLimitStore({ maxKeys: 2, runtime: { now: () => new Date(0) } })
    const take = async (key: string) => (await store.take(key, { perSecond: 1, burst: 1 })).allowed
    expect([await take('a'), await take('b'), await take('a'), await take('c')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    // `a` was asked for after `b`.
    expect([await take('a'), await take('b')]).toEqual([false, true])
  })

  test.each<[string, object]>([
    ['key', { key: 'ada' }],
    ['limit.perSecond', { limit: { perSecond: 0, burst: 1 } }],
    ['limit.burst', { limit: { perSecond: 1, burst: 1.5 } }],
    ['store', { store: {} }],
    ['name', { name: 'two words' }],
    ['form', { form: 'xml' }],
    ['storeTimeoutMs', { storeTimeoutMs: 0 }],
  ])('OP-17: a wrong %s is refused where it is made', (name, options) => {
    expect(() => limited(options)).toThrow(`withRateLimit: option "${name}" must be`)
  })

  test('OP-17: over a socket, deferred and genuine answers, bodies that nobody reads', async () => {
    const handler = withRateLimit((request) => jsonResponse(request, 'ok'), {
      key: (_request, { clientAddress }) => clientAddress,
      limit: { perSecond: 0.001, burst: 2 },
    })
    const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const post = () =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x'.repeat(40_000) })
    const answers = [await post(), await post(), await post()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      '"default";r=1;t=1000',
      '"default";r=0;t=2000',
      '"default";r=0;t=2000',
    ])
    server.close()
    server.closeAllConnections()
  })
})
