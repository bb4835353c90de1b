import { HttpAgent } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { createMemoryServices } from '@x/flow-engine/memory'
import { chatInput, chatOutput, languageModel, memory } from '@x/flow-engine/components'
import { createRegistry, type ComponentServices, type FlowJson } from '@x/flow-engine'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { serve } from '@x/test-kit'
import { afterEach, expect, test } from 'vitest'
import { createAgUiHandler } from '../src/ag-ui.ts'
import { closeAll, plain, serveChat } from './chat.ts'
import { shownEntries } from '../src/parts/shown-entries.ts'
import { agentFlow, components, echoFlow, modelFlow } from './flows.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  await closeAll()
  for (const close of open.splice(0)) await close()
})

async function serveAgUi(flow: FlowJson) {
  const models = createScriptedModel([{ text: 'Done' }])
  const auth = () => ({ userId: 'ada' })
  const handler = createAgUiHandler({ flow, components, auth, models })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  return `${server.url}/api/ag-ui`
}

const bodyOf = (text: string, more: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    id: 'chat-1',
    trigger: 'submit-message',
    messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text }] }],
    ...more,
  }),
})

test('DO-9: events have no ids, and one JSON object a line', async () => {
  const { url } = await serveChat(modelFlow(), [{ chunks: ['line 1\nline', ' 2'] }])
  const response = await fetch(url, bodyOf('hi'))
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  for (const line of lines) {
    expect(line).toMatch(/^(?:data: |:)/)
    if (line.startsWith('data: {')) JSON.parse(line.slice(6))
  }
  expect(lines.at(-1)).toBe('data: [DONE]')
})

/** A model that is told the conversation so far. */
function rememberingFlow(): FlowJson {
  const flow = flowBuilder('Remembering')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(memory, { id: 'Memory' })
  flow.add(languageModel, { id: 'Model' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow
    .connect('ChatInput-1.message', 'Model.input_value')
    .connect('Memory.messages_text', 'Model.system_message')
    .connect('Model.text_output', 'ChatOutput-1.input_value')
    .toJSON()
}

const earlier = [
  { id: 'u0', role: 'user', parts: [{ type: 'text', text: 'I am Ada' }] },
  { id: 'a0', role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada' }] },
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Who am I?' }] },
]
const withMemory = createRegistry([chatInput, chatOutput, memory, languageModel])

test('DO-12, DO-13: the chat is the session that memory reads; earlier messages of a request are not it', async () => {
  const { messages } = createMemoryServices() as Required<ComponentServices>
  const { url, model } = await serveChat(rememberingFlow(), ['One', 'Two'], {
    components: withMemory,
    messages,
  })
  await (await fetch(url, bodyOf('', { messages: earlier }))).text()
  expect(JSON.stringify(model.requests[0])).not.toContain('I am Ada')
  expect((await messages.list({ sessionId: 'chat-1' })).map(({ text }) => text)).toEqual([
    'Who am I?',
    'One',
  ])
})

test('DO-13: without a store memory sees the messages of the request', async () => {
  const { url, model } = await serveChat(rememberingFlow(), ['One'], { components: withMemory })
  await (await fetch(url, bodyOf('', { messages: earlier }))).text()
  expect(JSON.stringify(model.requests[0])).toContain('I am Ada')
  expect(JSON.stringify(model.requests[0])).toContain('Hello Ada')
})

test('DO-24: usage is the sum of the models of the turn', async () => {
  const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 }
  const script = [
    { toolCalls: [{ name: 'send', args: { to: 'bob' } }], usage },
    { text: 'Done', usage },
  ]
  const { chat } = await serveChat(agentFlow(), script)
  const page = chat()
  await page.sendMessage({ text: 'write' })
  expect(plain(page.messages.at(-1)?.metadata)).toMatchObject({
    usage: { inputTokens: 20, outputTokens: 4, totalTokens: 24 },
  })
})

test('DO-35: another version than 5, 6 and 7 is refused', async () => {
  const { url } = await serveChat(echoFlow())
  const init = bodyOf('hi')
  const headers = { ...init.headers, 'x-ai-sdk': '4' }
  const response = await fetch(url, { ...init, headers })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('x-ai-sdk')
})

test('DO-50: a data: address becomes a file; its bytes say what an image is, and http is refused', async () => {
  const { url } = await serveChat(echoFlow(), [], {
    services: createMemoryServices(),
  })
  const send = (part: object) =>
    fetch(url, bodyOf('', { messages: [{ id: 'u1', role: 'user', parts: [part] }] }))
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
  const file = { type: 'file', mediaType: 'image/jpeg', filename: 'a.jpg' }
  expect((await send({ ...file, url: `data:image/jpeg;base64,${png}` })).status).toBe(200)
  const wrong = await send({ ...file, url: 'data:image/jpeg;base64,!!' })
  expect(wrong.status).toBe(400)
  const elsewhere = await send({ ...file, url: 'https://example.com/a.jpg' })
  expect(elsewhere.status).toBe(400)
  expect(await elsewhere.text()).toContain('messages[0].parts[0]')
})

test('DO-66: steps for each vertex that runs, balanced, when they are asked for', async () => {
  const url = await serveAgUi(echoFlow())
  const agent = new HttpAgent({ url, initialMessages: [{ id: 'u1', role: 'user', content: 'hi' }] })
  const steps: unknown[] = []
  await agent.runAgent(
    { forwardedProps: { steps: true } },
    {
      onEvent: ({ event }) => {
        EventSchemas.parse(event)
        if (event.type.startsWith('STEP_')) steps.push([event.type, Reflect.get(event, 'stepName')])
      },
    },
  )
  expect(steps).toEqual([
    ['STEP_STARTED', 'ChatInput-1'],
    ['STEP_FINISHED', 'ChatInput-1'],
    ['STEP_STARTED', 'ChatOutput-1'],
    ['STEP_FINISHED', 'ChatOutput-1'],
  ])
})

test('DO-67: capabilities name the flow, the tools of its agents and whether it asks', async () => {
  const url = await serveAgUi(agentFlow())
  const answer = (await (await fetch(`${url}/capabilities`)).json()) as Record<string, unknown>
  expect(answer).toMatchObject({
    identity: { name: 'Agent' },
    transport: { streaming: true },
    tools: { supported: true, items: [{ name: 'Send' }], clientProvided: false },
  })
})

test('DO-11: the id of a turn is that of its message, and stands in a header', async () => {
  const { url } = await serveChat(echoFlow())
  const response = await fetch(url, bodyOf('hi'))
  const [first = ''] = (await response.text()).split('\n')
  expect(JSON.parse(first.slice(6))).toMatchObject({
    type: 'start',
    messageId: response.headers.get('x-chat-turn'),
  })
})

test('DO-26: a json block of sources is shown as sources, at most 100 of a message', () => {
  const page = { url: 'https://a.example/', title: 'A' }
  const paper = { title: 'Paper', mediaType: 'application/pdf', filename: 'paper.pdf' }
  const wrong = [{ url: 'javascript:alert(1)' }, { title: 'no type' }, null]
  const json = (data: unknown) => ({ type: 'json', data })
  expect(shownEntries('m', [json({ sources: [page, paper, ...wrong] })])).toEqual([
    { kind: 'source', id: 'm:0', source: { type: 'url', ...page } },
    { kind: 'source', id: 'm:1', source: { type: 'document', ...paper } },
  ])
  const many = Array.from({ length: 70 }, () => page)
  const entries = [json({ sources: many }), json({ sources: many }), json({ sources: 1 })]
  expect(shownEntries('m', entries).map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 100 }, () => 'source'),
    'block',
  ])
})
