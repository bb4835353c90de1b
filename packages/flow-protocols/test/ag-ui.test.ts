import { HttpAgent, type BaseEvent } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { afterEach, describe, expect, test } from 'vitest'
import type { FlowJson } from '@x/flow-engine'
import { createScriptedModel } from '@x/flow-engine/testing'
import { serve } from '@x/test-kit'
import { createAgUiHandler } from '../src/ag-ui.ts'
import type { DoorOptions } from '../src/ai-sdk.ts'
import { agentFlow, components, echoFlow, failingFlow, modelFlow, questionFlow } from './flows.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function serveAgent(
  flow: FlowJson,
  script: Parameters<typeof createScriptedModel>[0] = [],
  options: Partial<DoorOptions> = {},
) {
  const model = createScriptedModel(script)
  const auth = () => ({ userId: 'ada' })
  const handler = createAgUiHandler({ flow, components, auth, models: model, ...options })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  const url = `${server.url}/api/ag-ui`
  const agent = (text: string) =>
    new HttpAgent({ url, initialMessages: [{ id: 'user-1', role: 'user', content: text }] })
  return { url, model, agent }
}

/** Runs an agent; every event passes the schema of the protocol. */
async function run(agent: HttpAgent, parameters: Parameters<HttpAgent['runAgent']>[0] = {}) {
  const events: BaseEvent[] = []
  const error = await agent
    .runAgent(parameters, {
      onEvent: ({ event }) => {
        EventSchemas.parse(event)
        events.push(event)
      },
    })
    .then(
      () => undefined,
      (thrown: Error) => thrown.message,
    )
  const types: string[] = events.map(({ type }) => type)
  return { events, error, types: types.filter((type, n) => type !== types[n - 1]) }
}

const parts = (messages: HttpAgent['messages']) =>
  messages.map(({ role, content }) => [role, content] as const)

describe('an AG-UI agent over one flow', () => {
  test('DO-61: a text', async () => {
    const { agent } = await serveAgent(echoFlow())
    const one = agent('hello')
    expect((await run(one)).types).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(parts(one.messages)).toEqual([
      ['user', 'hello'],
      ['assistant', 'hello'],
    ])
  })

  test('DO-61: a failure is the last event', async () => {
    const { agent } = await serveAgent(failingFlow())
    const { events } = await run(agent('x'))
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'run_failed' })
  })

  test('DO-61: a tool call and its result', async () => {
    const script = [{ toolCalls: [{ name: 'send', args: { to: 'bob' } }] }, 'Done']
    const { agent } = await serveAgent(agentFlow(), script)
    const one = agent('write')
    await run(one)
    expect(one.messages.slice(1)).toMatchObject([
      { role: 'assistant', toolCalls: [{ function: { name: 'send', arguments: '{"to":"bob"}' } }] },
      { role: 'tool', content: 'sent to bob' },
      { role: 'assistant', content: 'Done' },
    ])
  })

  test('DO-63: a question is an interrupt, shown again until resume answers it', async () => {
    const { agent, url } = await serveAgent(questionFlow())
    const one = agent('ship it?')
    await run(one)
    const [interrupt] = one.pendingInterrupts
    expect(interrupt).toMatchObject({ reason: 'node_input', message: 'ship it?' })
    const same = new HttpAgent({ url, threadId: one.threadId, initialMessages: one.messages })
    await run(same)
    expect(same.pendingInterrupts).toEqual(one.pendingInterrupts)
    const resume = [
      {
        interruptId: interrupt?.id ?? '',
        status: 'resolved' as const,
        payload: { action_id: 'approve' },
      },
    ]
    const { types } = await run(one, { resume })
    expect(types.at(-1)).toBe('RUN_FINISHED')
    expect(parts(one.messages).at(-1)).toEqual(['assistant', 'ship it?'])
    expect(one.pendingInterrupts).toEqual([])
  })

  test('DO-21, DO-62: a withdrawn text is gone; the call that waits stays', async () => {
    const script = [
      { chunks: ['Let me ', 'write. '], toolCalls: [{ name: 'send', args: { to: 'bob' } }] },
      'Done',
    ]
    const { agent } = await serveAgent(agentFlow(['approve', 'reject']), script)
    const one = agent('write')
    await run(one)
    expect(one.pendingInterrupts).toMatchObject([{ reason: 'tool_approval' }])
    const [interrupt] = one.pendingInterrupts
    const call = one.messages.find(({ role }) => role === 'assistant')
    expect(call).toMatchObject({ toolCalls: [{ id: interrupt?.toolCallId }] })
    await run(one, {
      resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: true }],
    })
    expect(parts(one.messages).filter(([role]) => role === 'tool')).toEqual([
      ['tool', 'sent to bob'],
    ])
    expect(parts(one.messages).at(-1)).toEqual(['assistant', 'Done'])
  })

  test('DO-25: each thought of an agent is a message of its own', async () => {
    const script = [
      { reasoning: ['Who?'], toolCalls: [{ name: 'send', args: { to: 'bob' } }] },
      { reasoning: ['It is', ' sent'], chunks: ['Do', 'ne'] },
    ]
    const { agent } = await serveAgent(agentFlow(), script)
    const one = agent('write')
    const { types } = await run(one)
    expect(types.slice(0, 6)).toEqual([
      'RUN_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
    ])
    expect(parts(one.messages)).toEqual([
      ['user', 'write'],
      ['reasoning', 'Who?'],
      ['assistant', undefined],
      ['tool', 'sent to bob'],
      ['reasoning', 'It is sent'],
      ['assistant', 'Done'],
    ])
  })

  test('DO-64: the same run again shows its messages and runs nothing', async () => {
    const { agent, model, url } = await serveAgent(modelFlow(), ['once'])
    const one = agent('count')
    await run(one, { runId: 'run-1' })
    const again = new HttpAgent({
      url,
      threadId: one.threadId,
      initialMessages: [{ id: 'user-1', role: 'user', content: 'count' }],
    })
    const { types } = await run(again, { runId: 'run-1' })
    expect(types).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(again.messages).toEqual(one.messages)
    expect(model.requests).toHaveLength(1)
    const answer = await fetch(`${url}/connect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: one.threadId, runId: 'r', messages: [] }),
    })
    expect(await answer.text()).toContain('"content":"once"')
  })

  test('DO-60, DO-65: warnings, and what is refused', async () => {
    const { agent, url } = await serveAgent(echoFlow())
    const { events } = await run(agent('hello'), {
      tools: [{ name: 't', description: '', parameters: {} }],
    })
    expect(events[1]).toMatchObject({ type: 'CUSTOM', value: { code: 'tools_ignored' } })
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 't', runId: 'r', messages: [] }),
    })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: {
          code: 'invalid_request',
          message: 'messages must end with a message of the user, or resume must be there',
        },
      },
    ])
    const told = await fetch(`${url}/capabilities`)
    expect(await told.json()).toMatchObject({ identity: { name: 'Echo' } })
  })
})
