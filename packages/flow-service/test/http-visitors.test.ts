import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { chatInput, chatOutput, humanInput } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowService } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

const CHAT = 'visitor_0123456789'
const OTHER = 'visitor_9876543210'

function echo() {
  const flow = flowBuilder('Echo')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value').toJSON()
}

function asking() {
  const flow = flowBuilder('Asking')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(humanInput, { id: 'Ask', values: { decisions: ['Yes', 'No'] } })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow
    .connect('ChatInput-1.message', 'Ask.prompt')
    .connect('Ask.branch_yes', 'ChatOutput-1.input_value')
    .toJSON()
}

async function service(isPublic = true) {
  const door = { public: isPublic }
  const engine = await createTestEngine({
    components: createRegistry([...builtinComponents]),
    settings: { autoLogin: false },
    aiSdk: door,
    agUi: door,
  })
  engines.push(engine)
  const { id: userId } = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const ask = async (
    method: string,
    path: string,
    { body, isOwner = false }: { readonly body?: unknown; readonly isOwner?: boolean } = {},
  ) => {
    const request = new Request(`http://host.example/api${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const user = { userId, isSuperuser: false }
    const answer = await engine.handler(request, {
      clientAddress: '192.0.2.1',
      ...(isOwner ? { user } : {}),
    })
    return {
      status: answer.status,
      code: answer.headers.get('x-error-code'),
      text: await answer.text(),
    }
  }
  const create = async (data: unknown, access_type = 'PUBLIC'): Promise<string> => {
    const { data: graph } = data as { readonly data?: unknown }
    const body = { name: 'f', data: graph, access_type }
    return (
      JSON.parse((await ask('POST', '/v1/flows/', { body, isOwner: true })).text) as { id: string }
    ).id
  }
  const say = (flow: string, chat: string, text = 'hello', more: readonly object[] = []) =>
    ask('POST', `/ai/v1/chat/${flow}`, {
      body: {
        id: chat,
        messages: [{ id: `m-${text}`, role: 'user', parts: [{ type: 'text', text }, ...more] }],
      },
    })
  return { engine, ask, create, say }
}

describe('visitors of public flows', () => {
  test('DO-6: the id of a chat is its key; nobody else meets its messages', async () => {
    const { ask, create, say } = await service()
    const flow = await create(echo())
    const said = await say(flow, CHAT)
    expect([said.status, said.text.includes('"delta":"hello"')]).toEqual([200, true])
    const history = (chat: string, isOwner = false) =>
      ask('GET', `/ai/v1/chat/${flow}/${chat}`, { isOwner })
    const messagesOf = ({ text }: { text: string }) =>
      (JSON.parse(text) as { messages: object[] }).messages
    expect(messagesOf(await history(CHAT))).toHaveLength(2)
    expect(messagesOf(await history(OTHER))).toEqual([])
    expect(messagesOf(await history(CHAT, true))).toEqual([])
    const rows = await ask('GET', `/v1/monitor/messages?session_id=${CHAT}`, { isOwner: true })
    expect(JSON.parse(rows.text)).toEqual([])
    expect((await ask('POST', `/ai/v1/chat/${flow}/${CHAT}/stop`)).text).toBe('{"stopped":false}')
    expect((await ask('DELETE', `/ai/v1/chat/${flow}/${CHAT}`)).status).toBe(204)
    expect(messagesOf(await history(CHAT))).toEqual([])
  })

  test('DO-6: a short id, a flow that asks, and what is not public', async () => {
    const { ask, create, say } = await service()
    const flow = await create(echo())
    const short = await say(flow, 'short')
    expect([short.status, short.code]).toEqual([400, 'chat_id_too_short'])
    expect((await ask('GET', `/ai/v1/chat/${flow}/short/stream`)).status).toBe(400)
    const asks = await say(await create(asking()), CHAT)
    expect([asks.status, asks.text]).toEqual([400, expect.stringContaining('asks a person')])
    const unknown = '11111111-1111-4111-8111-111111111111'
    for (const id of [await create(echo(), 'PRIVATE'), unknown, 'echo']) {
      const { status, code, text } = await say(id, CHAT)
      expect([status, code, text]).toEqual([401, 'unauthorized', 'Missing or wrong API key.'])
    }
    const card = await ask('GET', `/a2a/v1/${flow}/.well-known/agent-card.json`)
    expect(card.status).toBe(401)
  })

  test('DO-6: without the option a public flow needs credentials too', async () => {
    const { create, say } = await service(false)
    expect((await say(await create(echo()), CHAT)).status).toBe(401)
  })

  test('DO-6: AG-UI takes visitors likewise', async () => {
    const { ask, create } = await service()
    const flow = await create(echo())
    const body = {
      threadId: CHAT,
      runId: 'r1',
      messages: [{ id: 'u1', role: 'user', content: 'hi there' }],
    }
    const run = await ask('POST', `/ag-ui/v1/${flow}`, { body })
    expect([run.status, run.text.includes('"delta":"hi there"')]).toEqual([200, true])
    const again = await ask('POST', `/ag-ui/v1/${flow}/connect`, { body })
    expect(again.text).toContain('"content":"hi there"')
    const short = await ask('POST', `/ag-ui/v1/${flow}`, { body: { ...body, threadId: 'short' } })
    expect([short.status, JSON.parse(short.text)]).toMatchObject([
      400,
      { error: { code: 'chat_id_too_short' } },
    ])
    expect((await ask('GET', `/ag-ui/v1/${flow}/capabilities`)).status).toBe(200)
  })

  test('DO-6, DO-53: a file of a visitor is shown by its ticket, and belongs to nobody else', async () => {
    const { ask, create, say } = await service()
    const flow = await create(echo())
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const part = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'a.png',
      url: `data:image/png;base64,${png}`,
    }
    expect((await say(flow, CHAT, 'look', [part])).status).toBe(200)
    const { text } = await ask('GET', `/ai/v1/chat/${flow}/${CHAT}`)
    const url = /"url":"http:\/\/host\.example\/api([^"]+)"/.exec(text)?.[1] ?? ''
    const shown = await ask('GET', url)
    expect([shown.status, shown.text.slice(1, 4)]).toEqual([200, 'PNG'])
    // The page sends the address back when it runs the message again.
    const again = { ...part, url: `http://host.example/api${url}` }
    expect((await say(flow, CHAT, 'look again', [again])).status).toBe(200)
    const stolen = await say(flow, OTHER, 'look', [again])
    expect([stolen.status, stolen.text]).toEqual([400, expect.stringContaining('data: address')])
    const files = await ask('GET', `/v1/files/list/${flow}`, { isOwner: true })
    expect(JSON.parse(files.text)).toEqual({ files: [] })
  })
})
