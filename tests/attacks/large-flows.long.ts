// Runs each night (.ci/night).
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'
import { besideHealth, HEALTH_NOTED, useService } from './attack.ts'
import { saveFlow } from './flows.ts'

const running = useService({})
const MB = 1024 * 1024

/** Fields of a graph of 16 MB, most of it in one node. */
const fields = Array.from({ length: 150_000 }, (_, n) => ({
  name: `field ${n}`,
  password: n % 40 === 0,
  value: `a value of the field ${n}, as users write`,
}))
const data = {
  nodes: [{ id: 'Webhook-1', data: { type: 'Any', node: { template: fields } } }],
  edges: [],
}

test('AB-38 a flow of 16 MB is written and read without blocking the server', async () => {
  const service = running()
  const body = JSON.stringify({
    name: 'large',
    endpoint_name: 'large',
    data,
    access_type: 'PUBLIC',
  })
  const headers = { 'content-type': 'application/json' }
  const created = await service.call('POST', '/api/v1/flows/', { body, headers })
  const { id } = created.json() as { id: string }
  await service.call('POST', `/api/v1/flows/${id}/versions/`, { body: '{}', headers })
  const versions = (await service.call('GET', `/api/v1/flows/${id}/versions/`)).json() as {
    entries: { id: string }[]
  }
  const form = new FormData()
  form.set('file', new Blob([body]), 'flow.json')
  const steps: [string, () => Promise<{ status: number }>][] = [
    ['create', () => service.call('POST', '/api/v1/flows/', { body, headers })],
    [
      'batch',
      () => service.call('POST', '/api/v1/flows/batch/', { body: `{"flows":[${body}]}`, headers }),
    ],
    ['upload', () => service.call('POST', '/api/v1/flows/upload/', { body: form })],
    [
      'change',
      () =>
        service.call('PATCH', `/api/v1/flows/${id}`, { body: JSON.stringify({ data }), headers }),
    ],
    ['read', () => service.call('GET', `/api/v1/flows/${id}`)],
    ['public', () => service.call('GET', `/api/v1/flows/public_flow/${id}`, { key: null })],
    [
      'version',
      () => service.call('GET', `/api/v1/flows/${id}/versions/${versions.entries[0]?.id}`),
    ],
  ]
  for (const [name, step] of steps) {
    const { result, slowest } = await besideHealth(service, step)
    expect([name, Math.floor(result.status / 100)]).toEqual([name, 2])
    expect([name, slowest < HEALTH_NOTED]).toEqual([name, true])
  }
})

test('AB-38 a run with a text of 2.8 MB does not block the server', async () => {
  const service = running()
  const flow = await saveFlow(service, [['ChatInput'], ['ChatOutput', {}, 'message>input_value']])
  const body = { input_value: 'some words '.repeat((2.8 * MB) / 11), session_id: 's' }
  const { result, slowest } = await besideHealth(service, () =>
    service.call('POST', `/api/v1/run/${flow}`, { body }),
  )
  expect(result.status).toBe(200)
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})

test('AB-38 readers of flows of 16 MB that stop reading do not fill the memory', async () => {
  // Sixty readers of each kind would need twice the heap.
  const environment = {
    SERVICE_MAX_UNREAD_MB_PER_CLIENT: '64',
    NODE_OPTIONS: '--max-old-space-size=1000',
  }
  await withService(environment, async (service) => {
    const { hostname, port, host } = new URL(service.url)
    const note = 'x'.repeat(16 * MB)
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const body = { name, access_type: 'PUBLIC', data: { nodes: [], edges: [], note } }
      const made = await service.call('POST', '/api/v1/flows/', { body })
      ids.push((made.json() as { id: string }).id)
    }
    const sockets: Socket[] = []
    const ask = (path: string, lines = ''): Socket => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${lines}\r\n`)
      return socket
    }
    const read = (n: number): Socket =>
      ask(`/api/v1/flows/${ids[n % ids.length]}`, `x-api-key: ${service.key}\r\n`)
    const { grown, slowest } = await besideHealth(service, async () => {
      for (let n = 0; n < 60; n += 1) {
        read(n).pause()
        ask(`/api/v1/flows/public_flow/${ids[n % ids.length]}`).pause()
        await sleep(50)
      }
      expect(await text(read(0))).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 5[^]*At most 64 MB/)
      // What changes something is answered all the same.
      const body = { name: 'four', data: { nodes: [], edges: [], note: note.slice(0, 2 * MB) } }
      expect((await service.call('POST', '/api/v1/flows/', { body })).status).toBe(201)
      expect((await service.call('GET', '/api/v1/users/whoami')).status).toBe(200)
    })
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect(grown).toBeLessThan(1_400)
    for (const socket of sockets) socket.destroy()
    const path = `/api/v1/flows/${ids[1]}`
    await expect.poll(async () => (await service.call('GET', path)).status).toBe(200)
    const whole = await service.call('GET', path)
    expect(whole.headers.get('content-length')).toBe(String(whole.text.length))
  })
})
