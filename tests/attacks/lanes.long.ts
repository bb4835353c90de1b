// Runs each night (.ci/night).
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withService, type Service } from '../journeys/service.ts'
import { HEALTH, OTHERS, stopwatch } from './attack.ts'
import { addUser, saveFlow } from './flows.ts'

/** A model server that never answers, but the paths that begin with `/ok`. */
const asked: string[] = []
const slow: Server = createServer((request, response) => {
  asked.push(request.url?.split('?')[0] ?? '')
  if (request.url?.startsWith('/ok') === true) response.end('{}')
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
})
afterAll(() => {
  slow.closeAllConnections()
  slow.close()
})

async function timed<T>(service: Service, work: () => Promise<T>, most = OTHERS): Promise<T> {
  const elapsed = stopwatch(service)
  const result = await work()
  expect(elapsed()).toBeLessThan(most)
  return result
}

const hanging = (path = '/hang') =>
  [
    ['Webhook'],
    [
      'APIRequest',
      { url_input: `${address}${path}`, mode: 'URL', timeout: 600 },
      'output_data>query_params',
    ],
  ] as const

/** A build of the honest user, with its events. */
async function build(service: Service, flow: string, key: string): Promise<string> {
  const answer = await service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=direct`, {
    body: {},
    key,
  })
  expect(answer.status).toBe(200)
  return answer.text
}

test('AB-70 to AB-73: hanging runs of visitors, webhooks and one user do not delay other users', async () => {
  const environment = { SERVICE_SSRF_ALLOW: '127.0.0.1', SERVICE_MAX_CONCURRENT_BUILDS: '8' }
  await withService(environment, async (service) => {
    const other = await addUser(service, 'other')
    const quick = await saveFlow(service, [['TextInput', { input_value: 'quick' }]], { key: other })
    const open = await saveFlow(service, hanging(), { isPublic: true })
    const honest = async (): Promise<void> => {
      expect(await timed(service, () => build(service, quick, other))).toContain('"end"')
      const run = () => service.call('POST', `/api/v1/run/${quick}`, { key: other, body: {} })
      expect((await timed(service, run)).status).toBe(200)
      const health = await timed(service, () => service.call('GET', '/health'), HEALTH)
      expect(health.status).toBe(200)
    }

    // 24 builds of visitors: two run, few wait, the rest is refused.
    const visitors = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        service.call('POST', `/api/v1/build_public_tmp/${open}/flow`, {
          key: null,
          headers: { cookie: `client_id=visitor-${at}` },
          body: {},
        }),
      ),
    )
    const statuses = visitors.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(7)
    const refused = visitors.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
    await expect.poll(() => asked.length).toBe(2)
    await honest()

    // Webhooks: 8 run beside the builds, 100 wait, the rest is refused.
    const hooked = await saveFlow(service, hanging('/hooked'))
    const calls = await Promise.all(
      Array.from({ length: 120 }, () =>
        service.call('POST', `/api/v1/webhook/${hooked}`, { key: null, body: { a: 1 } }),
      ),
    )
    const accepted = calls.filter(({ status }) => status === 202).length
    expect(calls.filter(({ status }) => status === 429)).toHaveLength(120 - accepted)
    expect(accepted).toBeGreaterThanOrEqual(100)
    expect(accepted).toBeLessThanOrEqual(110)
    const hooks = (): number => asked.filter((path) => path === '/hooked').length
    await expect.poll(() => hooks()).toBe(8)
    await honest()

    // One user: half of the places.
    const mine = await saveFlow(service, hanging('/mine'))
    for (let at = 0; at < 30; at += 1)
      await service.call('POST', `/api/v1/build/${mine}/flow`, { body: {} })
    await expect.poll(() => asked.filter((path) => path === '/mine')).toHaveLength(4)
    await honest()
  })
})

test('AB-70: visitors never take the last free place', async () => {
  const environment = {
    SERVICE_SSRF_ALLOW: '127.0.0.1',
    SERVICE_MAX_CONCURRENT_BUILDS: '3',
    SERVICE_MAX_PUBLIC_BUILDS: '2',
  }
  await withService(environment, async (service) => {
    asked.length = 0
    const other = await addUser(service, 'other')
    const quick = await saveFlow(service, [['TextInput', { input_value: 'quick' }]], { key: other })
    const mine = await saveFlow(service, hanging('/mine'))
    await service.call('POST', `/api/v1/build/${mine}/flow`, { body: {} })
    await expect.poll(() => asked).toEqual(['/mine'])
    const open = await saveFlow(service, hanging('/public'), { isPublic: true })
    for (let at = 0; at < 4; at += 1)
      await service.call('POST', `/api/v1/build_public_tmp/${open}/flow`, {
        key: null,
        headers: { cookie: `client_id=visitor-${at}` },
        body: {},
      })
    await expect.poll(() => asked).toContain('/public')
    // One of three places is the user's, and one is left.
    expect(await timed(service, () => build(service, quick, other))).toContain('"end"')
    expect(asked).toEqual(['/mine', '/public'])
  })
})

test('AB-71, AB-72: an accepted webhook call survives a killed process; a flow without a Webhook component does not run', async () => {
  const environment = { SERVICE_SSRF_ALLOW: '127.0.0.1', SERVICE_MAX_WEBHOOK_RUNS: '1' }
  await withService(environment, async (service) => {
    asked.length = 0
    const none = await saveFlow(service, [['APIRequest', { url_input: `${address}/none` }]])
    const hooked = await saveFlow(service, hanging('/first'))
    const second = await saveFlow(service, hanging('/ok-second'))
    for (const flow of [none, hooked, second]) {
      const answer = await service.call('POST', `/api/v1/webhook/${flow}`, { key: null, body: {} })
      expect(answer.status).toBe(202)
    }
    await expect.poll(() => asked).toEqual(['/first'])
    await service.restart({ signal: 'SIGKILL' })
    // The first one was not idempotent and ends; the second one waited and runs now.
    await expect.poll(() => asked).toContain('/ok-second')
    expect(asked).not.toContain('/none')
  })
})
