import { chatInput, chatOutput, textInput } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowEngineOptions, FlowService } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'
import { afterEach, expect, test } from 'vitest'

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

const say = JSON.stringify({
  id: 'chat_0123456789abcdef',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
})
const runInput = JSON.stringify({
  threadId: 'thread_0123456789',
  runId: 'run-1',
  messages: [{ id: 'm1', role: 'user', content: 'hello' }],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
})

/** A service with two users, who ask with their ids. */
async function service(options: Partial<FlowEngineOptions> = {}) {
  const engine = await createTestEngine(options)
  engines.push(engine)
  const user = async (username: string) => {
    const { id } = await engine.services.users.create({ username, password: null, isActive: true })
    const send = (path: string, body?: string, method = body === undefined ? 'GET' : 'POST') =>
      engine.handler(
        new Request(`http://host.example${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body }),
        }),
        { user: { userId: id, isSuperuser: false } },
      )
    const create = async (body: object) =>
      ((await (await send('/api/v1/flows/', JSON.stringify(body))).json()) as { id: string }).id
    return { send, create }
  }
  return { engine, ada: await user('ada'), grace: await user('grace') }
}

function echo() {
  const flow = flowBuilder('Echo')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value').toJSON().data
}

function withoutChatInput() {
  const flow = flowBuilder('Text')
  flow.add(textInput, { id: 'TextInput-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('TextInput-1.text', 'ChatOutput-1.input_value').toJSON().data
}

test('DO-3: flows by id and endpoint name; others are unknown, and one without chat says so', async () => {
  const { ada, grace } = await service()
  const data = echo()
  const id = await ada.create({ name: 'f', data, endpoint_name: 'echo-1' })
  const component = await ada.create({ name: 'c', data, is_component: true })
  const broken = await ada.create({ name: 'b', data: { nodes: [{ id: 'x' }], edges: [] } })
  const mute = await ada.create({ name: 't', data: withoutChatInput() })
  for (const [path, body] of [
    ['/api/ai/v1/chat/{flow}', say],
    ['/api/ag-ui/v1/{flow}', runInput],
  ] as const) {
    const ask = async (user: typeof ada, flow: string) => {
      const answer = await user.send(path.replace('{flow}', flow), body)
      return { status: answer.status, text: await answer.text() }
    }
    for (const known of [id, 'echo-1']) expect((await ask(ada, known)).status).toBe(200)
    for (const unknown of [component, broken, 'nothing', crypto.randomUUID()])
      expect((await ask(ada, unknown)).status).toBe(404)
    expect((await ask(grace, id)).status).toBe(404)
    expect((await ask(ada, mute)).text).toContain('This flow has no Chat Input')
    const wrong = await ada.send(path.replace('{flow}', id), undefined, 'PUT')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([
      405,
      expect.stringContaining('POST'),
    ])
  }
})

test('DO-3: doors that are switched off are unknown addresses', async () => {
  const { ada } = await service({ aiSdk: false, agUi: false, a2a: false })
  const id = await ada.create({ name: 'f', data: echo() })
  expect((await ada.send(`/api/ai/v1/chat/${id}`, say)).status).toBe(404)
  expect((await ada.send(`/api/ag-ui/v1/${id}`, runInput)).status).toBe(404)
  expect((await ada.send(`/api/a2a/v1/${id}`, '{}')).status).toBe(404)
})

test('DO-83: the description of the API has the routes of the doors with their bodies', async () => {
  const { engine } = await service()
  const { paths } = engine.openapi() as { paths: Record<string, Record<string, object>> }
  for (const path of ['/api/ai/v1/chat/{flow}', '/api/ag-ui/v1/{flow}', '/api/a2a/v1/{flow}'])
    expect({ path, ...paths[path]?.['post'] }).toMatchObject({
      path,
      requestBody: expect.anything(),
      responses: { 200: expect.anything() },
    })
})
