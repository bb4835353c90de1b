import { createScimService } from '@x/scim-core'
import { createScimConnections } from '@x/scim-core/connections'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createMetrics } from '@x/scim-core/metrics'
import { createScimClient, createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { BASE } from './support.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000

async function setUp(processes = 1) {
  const runtime = createTestRuntime()
  const [store, tokens] = [createMemoryConnectionStore(), createMemoryTokenStore()]
  const values = new Map<string, string>()
  const alarms = {
    get: async (name: string) => values.get(name) ?? null,
    async exchange(name: string, before: string | null, after: string) {
      if ((values.get(name) ?? null) !== before) return false
      values.set(name, after)
      return true
    },
  }
  const told: Record<string, unknown>[] = []
  const metrics = createMetrics()
  const begin = () => {
    const connections = createScimConnections({ store, tokens, runtime, alarms, metrics })
    connections.events.on('*', (event) => void told.push({ ...event }))
    const stopping = new AbortController()
    const ended = connections.watch({ signal: stopping.signal, everyMs: EVERY_MS })
    const stop = async () => {
      stopping.abort()
      await ended
    }
    return { connections, stop }
  }
  const all = Array.from({ length: processes }, begin)
  const [{ connections } = begin()] = all
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: connections.auth(),
    runtime,
  })
  return {
    runtime,
    connections,
    metrics,
    begin,
    names: () => told.splice(0).map(({ type }) => type),
    told,
    client: (token: string) => createScimClient(service.handle, { token }),
    create: (settings: object = {}, expiresAt?: Date) =>
      connections.create({
        tenant: 'acme',
        name: 'A',
        provider: 'entra',
        settings,
        ...(expiresAt !== undefined && { expiresAt }),
      }),
    stop: async () => {
      for (const one of all) await one.stop()
    },
  }
}

describe('SF-66 SF-67 alarms of connections', () => {
  test('silence is told once over all processes, until a request ends it', async () => {
    const { runtime, create, client, told, names, stop, metrics } = await setUp(2)
    const { connection, token } = await create({ silenceAfter: 3_600 })
    await runtime.advance(2 * DAY_MS)
    expect(names()).toEqual([])
    await client(token).get('/Users')
    const last = runtime.now()
    await runtime.advance(3_600_000 - 1)
    expect(names()).toEqual([])
    await runtime.advance(EVERY_MS)
    expect(told).toMatchObject([
      {
        type: 'connection.silent',
        tenant: 'acme',
        connectionId: connection.id,
        provider: 'entra',
        lastRequestAt: last.toISOString(),
      },
    ])
    names()
    const text = JSON.stringify(await metrics.collect())
    expect(text).toContain('scim_connection_silent')
    await runtime.advance(5 * DAY_MS)
    expect(names()).toEqual([])
    await client(token).get('/Users')
    await runtime.advance(EVERY_MS)
    expect(names()).toEqual(['connection.heard'])
    await stop()
  })

  test('a restart neither repeats nor loses an alarm', async () => {
    const { runtime, create, client, names, stop, begin } = await setUp()
    const { token } = await create({ silenceAfter: 3_600 })
    await client(token).get('/Users')
    await stop()
    await runtime.advance(DAY_MS)
    expect(names()).toEqual([])
    const second = begin()
    await runtime.advance(EVERY_MS)
    expect(names()).toEqual(['connection.silent'])
    await second.stop()
    const third = begin()
    await runtime.advance(EVERY_MS)
    expect(names()).toEqual([])
    await third.stop()
  })

  test('0 turns it off; a disabled connection is not silent', async () => {
    const { runtime, create, client, connections, names, stop } = await setUp()
    const off = await create({ silenceAfter: 0 })
    const disabled = await create({ silenceAfter: 60 })
    for (const { token } of [off, disabled]) await client(token).get('/Users')
    await connections.update('acme', disabled.connection.id, { enabled: false })
    await runtime.advance(2 * DAY_MS)
    expect(names()).toEqual([])
    for (const silenceAfter of [-1, 1.5, '60', 1e9]) {
      await expect(create({ silenceAfter })).rejects.toThrow('silenceAfter')
    }
    await stop()
  })

  test('credentials are told 30, 7 and 1 days before their end, and at it', async () => {
    const { runtime, create, connections, told, stop } = await setUp()
    const end = new Date(runtime.now().getTime() + 40 * DAY_MS)
    const { connection, tokenId } = await create({ silenceAfter: 0 }, end)
    await connections.issueClient('acme', connection.id, {
      expiresAt: new Date(end.getTime() + 300 * DAY_MS),
    })
    await runtime.advance(41 * DAY_MS)
    expect(told.map(({ type, days, credentialId }) => [type, days, credentialId])).toEqual([
      ['credential.expiring', 30, tokenId],
      ['credential.expiring', 7, tokenId],
      ['credential.expiring', 1, tokenId],
      ['credential.expired', undefined, tokenId],
    ])
    expect(told[0]).toMatchObject({ kind: 'token', expiresAt: end.toISOString() })
    await stop()
  })

  test('20 refused requests in a row are told once, until one is accepted', async () => {
    const { runtime, create, connections, client, told, names, stop } = await setUp()
    const first = await create({ silenceAfter: 0 })
    const { id } = first.connection
    const second = await connections.issueToken('acme', id)
    await connections.revokeToken('acme', id, first.tokenId)
    const refuse = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        expect((await client(first.token).get('/Users')).status).toBe(401)
      }
    }
    await refuse(19)
    expect(told).toEqual([])
    await refuse(30)
    expect(told).toMatchObject([{ type: 'connection.refused', connectionId: id, refusals: 20 }])
    names()
    await runtime.advance(EVERY_MS)
    await client(second.token).get('/Users')
    await refuse(20)
    expect(names()).toEqual(['connection.refused'])
    await stop()
  })
})
