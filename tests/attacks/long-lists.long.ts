// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { besideHealth, HEALTH_NOTED, useService } from './attack.ts'
import { addUser, saveFlow } from './flows.ts'

const running = useService({})
const MB = 1024 * 1024

/** Reads a response to its end, counting its bytes; holds none of it. */
async function countBytes(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, { headers })
  let bytes = 0
  let last = ''
  for await (const chunk of response.body ?? []) {
    const part = chunk as Uint8Array
    bytes += part.length
    last = new TextDecoder().decode(part.subarray(-1))
  }
  return { status: response.status, bytes, last }
}

test('AB-38 a list of 240 MB of messages is sent as it is read, beside others', async () => {
  const service = running()
  const key = await addUser(service, 'mallory')
  const flow = await saveFlow(service, [['ChatInput'], ['ChatOutput', {}, 'message>input_value']], {
    key,
  })
  const text = 'm'.repeat(2 * MB)
  for (let n = 0; n < 60; n += 1) {
    const body = { input_value: text, session_id: `s${n % 7}` }
    const { status } = await service.call('POST', `/api/v1/run/${flow}`, { key, body })
    expect(status).toBe(200)
  }
  const url = `${service.url}/api/v1/monitor/messages`
  const headers = { 'x-api-key': key }
  await countBytes(`${url}?session_id=s1`, headers)
  const { result, slowest, grown } = await besideHealth(service, () => countBytes(url, headers))
  expect([result.status, result.last]).toEqual([200, ']'])
  expect(result.bytes).toBeGreaterThan(240 * MB)
  expect(slowest).toBeLessThan(HEALTH_NOTED)
  expect(grown).toBeLessThan(250)

  const order = await service.call('GET', '/api/v1/monitor/messages?order_by=text', { key })
  expect([order.status, order.json()]).toEqual([
    400,
    { detail: expect.stringMatching(/^order_by takes at most 10,000 messages/) as string },
  ])
})

test('AB-38 flows of 240 MB are listed and downloaded as they are read, beside others', async () => {
  const service = running()
  const key = await addUser(service, 'trudy')
  const value = 'f'.repeat(12 * MB)
  const ids: string[] = []
  for (let n = 0; n < 20; n += 1) {
    const body = { name: `large ${n}`, data: { nodes: [{ id: 'a', value }], edges: [] } }
    const made = await service.call('POST', '/api/v1/flows/', { key, body })
    ids.push((made.json() as { id: string; folder_id: string }).id)
  }
  const [one] = ids
  const folder = (await service.call('GET', `/api/v1/flows/${one}`, { key })).json() as {
    folder_id: string
  }
  const headers = { 'x-api-key': key, 'accept-encoding': 'identity' }
  const project = `/api/v1/projects/${folder.folder_id}`
  for (const [path, least] of [
    ['/api/v1/flows/?remove_example_flows=true', 240],
    ['/api/v1/flows/?get_all=false&size=100', 240],
    [project, 240],
    [`${project}?page=1&size=100`, 240],
    [`/api/v1/projects/download/${folder.folder_id}`, 0],
  ] as const) {
    const { result, slowest, grown } = await besideHealth(service, () =>
      countBytes(`${service.url}${path}`, headers),
    )
    expect(result.status).toBe(200)
    expect(result.bytes).toBeGreaterThan(least * MB)
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect(grown).toBeLessThan(250)
  }
})
