import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FlowService } from '../../src/service.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { adminToken, send } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

const TEXT =
  'Unknown component types: ext:slack:SlackSearchComponent@official (ext:slack:Slack@official-aB3xY)'

function withUnknown() {
  const flow = flowBuilder()
  const [input, answer] = [flow.add('ChatInput'), flow.add('ChatOutput')]
  flow.add('ext:slack:SlackSearchComponent@official', { id: 'ext:slack:Slack@official-aB3xY' })
  flow.connect(`${input}.message`, `${answer}.input_value`)
  const { data } = flow.toJSON()
  const [first] = data?.nodes ?? []
  if (first !== undefined) {
    Object.assign(first.data.node, {
      lf_version: '1.13.0',
      last_updated: 'x',
      replacement: ['a.B'],
    })
    Object.assign(first.data.node.template, { _frontend_node_flow_id: { value: 'f' } })
    first.data['selected_output'] = 'message'
  }
  return data
}

describe('a file of a newer version over HTTP', () => {
  let engine: FlowService
  let token: string
  beforeAll(async () => {
    engine = await createTestEngine()
    token = await adminToken(engine)
  })
  afterAll(() => engine.close())

  async function imported(): Promise<string> {
    const json = { name: `newer ${Math.random()}`, data: withUnknown(), locked: true }
    const { body } = await send(engine, '/api/v1/flows/', { token, json })
    return (body as { id: string }).id
  }

  test('NX-3, NX-5: it is returned unchanged, including unknown keys', async () => {
    const { body } = await send(engine, `/api/v1/flows/${await imported()}`, { token })
    expect((body as { data: unknown }).data).toEqual(withUnknown())
    expect(JSON.stringify((body as { data: unknown }).data)).toBe(JSON.stringify(withUnknown()))
  })

  test('NX-7: a run is answered 400 with the text, a streamed run has it in its error line', async () => {
    const id = await imported()
    const json = { input_value: 'hello', session_id: 's' }
    const key = await send(engine, '/api/v1/api_key/', { token, json: { name: 'k' } })
    const headers = { 'x-api-key': (key.body as { api_key: string }).api_key }
    const run = await send(engine, `/api/v1/run/${id}`, { headers, json })
    expect([run.status, run.body]).toEqual([400, { detail: TEXT }])
    const advanced = await send(engine, `/api/v1/run/advanced/${id}`, { headers, json: {} })
    expect([advanced.status, advanced.body]).toEqual([400, { detail: TEXT }])
    const streamed = await send(engine, `/api/v1/run/${id}?stream=true`, { headers, json })
    expect(streamed.text).toContain(`"event": "error"`)
    expect(streamed.text).toContain(TEXT)
  })

  test('NX-7: a build is a job whose error event has the text and a line feed', async () => {
    const id = await imported()
    const path = `/api/v1/build/${id}/flow?event_delivery=direct`
    const { text } = await send(engine, path, { token, json: {} })
    const events = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string; data: { text?: string } })
    expect(events.find(({ event }) => event === 'error')?.data.text).toBe(`${TEXT}\n`)
  })
})
