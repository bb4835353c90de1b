import { expect, test } from 'vitest'
import { besideHealth, IN_TIME, useService } from './attack.ts'
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

/**
 * Others wait at most as long as so many times the parsing of its JSON, which cannot be divided. Looked
 * through in one step, some of these took twenty times as long.
 */
const PARSES = 8

/** Milliseconds that this machine takes now to parse a text. */
function parseMs(text: string): number {
  const samples = [1, 2, 3].map(() => {
    const begun = performance.now()
    JSON.parse(text)
    return performance.now() - begun
  })
  return Math.max(...samples)
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
    expect([name, slowest < PARSES * parseMs(body)]).toEqual([name, true])
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
  expect(slowest).toBeLessThan(IN_TIME)
})
