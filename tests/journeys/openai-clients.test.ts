import { flowBuilder, type FakeOpenAi } from '@x/flow-engine/testing'
import OpenAI, { APIError, AuthenticationError, InternalServerError, NotFoundError } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFlow, graphOf } from './flows.ts'
import { withStoredKeys } from './material.ts'
import { newPerson, type Person } from './people.ts'
import { type Service } from './service.ts'
import { startChatService, failed } from './model-service.ts'

let service: Service
let model: FakeOpenAi
let bob: Person
let parrot: string
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, parrot, end } = await startChatService())
  bob = await newPerson(service, 'bob')
})
afterAll(() => end())
beforeEach(() => void model.requests.splice(0))

/** The official client, with nothing changed but address and key; it repeats as it does by default. */
const client = (apiKey = service.key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.url}/api/openai/v1` })
const ask = (text: string) => [{ role: 'user' as const, content: text }]
const asked = () => JSON.stringify(model.requests)

/** An agent between both ends of a chat. */
function agentGraph(): unknown {
  const flow = flowBuilder('remembering')
  const input = flow.add('ChatInput')
  const agent = flow.add('Agent', {
    values: { agent_llm: 'OpenAI', model_name: 'gpt-4o-mini', api_key: 'OPENAI_API_KEY' },
  })
  const output = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${agent}.input_value`)
  flow.connect(`${agent}.response`, `${output}.input_value`)
  return withStoredKeys(flow.toJSON()).data
}

describe('models of the OpenAI API', () => {
  test('RS-44 flows with chat input and output are models, listed newest first, found by name and id', async () => {
    await createFlow(service, {
      name: 'Silent',
      data: graphOf((flow) => void flow.add('ChatInput')),
    })
    const { data } = await client().models.list()
    const ids = data.map(({ id }) => id)
    expect(ids.indexOf('chat')).toBeLessThan(ids.indexOf('parrot'))
    expect(ids).toEqual(expect.arrayContaining(['chat', 'parrot']))
    expect(data.map((item) => Reflect.get(item, 'name'))).not.toContain('Silent')
    const one = await client().models.retrieve('parrot')
    expect(one).toMatchObject({ id: 'parrot', object: 'model', owned_by: 'admin', name: 'Echo' })
    expect(await client().models.retrieve(parrot)).toEqual(one)
  })

  test('RS-44 RS-21 flows of other users are not models', async () => {
    const ids = (await client(bob.key).models.list()).data.map(({ id }) => id)
    expect(ids).not.toContain('parrot')
    for (const name of ['parrot', parrot, 'nothing']) {
      const error = await failed(client(bob.key).models.retrieve(name))
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' })
      const run = client(bob.key).chat.completions.create({ model: name, messages: ask('x') })
      expect(await failed(run)).toBeInstanceOf(NotFoundError)
    }
  })
})

describe('chat completions', () => {
  test('RS-42 a chat completion returns the answer of the flow with its usage', async () => {
    model.reply({ text: 'Hello', usage: { inputTokens: 4, outputTokens: 1 } })
    const answer = await client().chat.completions.create({ model: 'chat', messages: ask('Hi') })
    expect(answer.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
    expect(answer.usage).toEqual({ prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 })
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'chat' })
    expect(answer.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/)
  })

  test('RS-43 tokens arrive as deltas, usage if requested', async () => {
    model.reply({ chunks: ['One', ' two'], usage: { inputTokens: 2, outputTokens: 2 } })
    const stream = await client().chat.completions.create({
      model: 'chat',
      messages: ask('Count'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'One' },
      { content: ' two' },
      {},
      undefined,
    ])
    expect(chunks.map(({ usage }) => usage?.total_tokens ?? null)).toEqual([
      null,
      null,
      null,
      null,
      4,
    ])
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  })

  test('RS-43 a flow without tokens sends one delta, which the client helper assembles', async () => {
    const runner = client().chat.completions.stream({ model: 'parrot', messages: ask('Polly') })
    expect((await runner.finalChatCompletion()).choices[0]?.message.content).toBe('Polly')
  })

  test('RS-40 RS-23 earlier turns become the history of an agent and are not stored', async () => {
    await createFlow(service, { name: 'Agent', data: agentGraph(), endpoint_name: 'agent' })
    model.reply('You are Ada')
    const answer = await client().chat.completions.create({
      model: 'agent',
      metadata: { session_id: 'with-history' },
      messages: [
        { role: 'user', content: 'I am Ada' },
        { role: 'assistant', content: 'Good morning' },
        { role: 'user', content: [{ type: 'text', text: 'Who am I?' }] },
      ],
    })
    expect(answer.choices[0]?.message.content).toBe('You are Ada')
    expect(asked()).toMatch(/I am Ada.*Good morning.*Who am I\?/)
    const stored = await service.call('GET', '/api/v1/monitor/messages?session_id=with-history')
    const texts = (stored.json() as { text: string }[]).map(({ text }) => text)
    expect(texts).toEqual(['Who am I?', 'You are Ada'])
  })

  test('RS-43 the deltas of an agent contain its whole text, including whitespace', async () => {
    await createFlow(service, { name: 'Writer', data: agentGraph(), endpoint_name: 'writer' })
    model.reply({ chunks: ['One', '\n\n', 'two', ' ', 'three'] })
    const messages = ask('Write')
    const stream = await client().chat.completions.create({
      model: 'writer',
      messages,
      stream: true,
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('One\n\ntwo three')
  })

  test('RS-21 a failing flow is a server error that clients do not retry', async () => {
    const error = await failed(
      client().chat.completions.create({ model: 'chat', messages: ask('fail once') }),
    )
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({
      code: 'flow_failed',
      message: expect.stringContaining('The script is used up'),
      requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const stored = await service.call('GET', '/api/v1/monitor/messages')
    const runs = (stored.json() as { text: string }[]).filter(({ text }) => text === 'fail once')
    expect(runs).toHaveLength(1)
    const stream = await client().chat.completions.create({
      model: 'chat',
      messages: ask('fail'),
      stream: true,
    })
    const read = async (): Promise<void> => {
      for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk')
    }
    expect(await failed(read())).toBeInstanceOf(APIError)
  })

  test('RS-20 a key or a token is accepted as Bearer or header; anything else is a 401', async () => {
    expect((await client(bob.token).models.list()).object).toBe('list')
    const byHeader = await service.call('GET', '/api/openai/v1/models')
    expect(byHeader.status).toBe(200)
    for (const key of ['sk-wrong', 'a.b.c']) {
      const error = await failed(client(key).models.list())
      expect(error).toBeInstanceOf(AuthenticationError)
      expect(error).toMatchObject({ code: 'invalid_api_key' })
    }
    expect((await service.call('GET', '/api/openai/v1/models', { key: null })).status).toBe(401)
  })

  const refused: readonly [object, string | null, string][] = [
    [{ n: 2 }, 'n', 'unsupported_parameter'],
    [{ tools: [{ type: 'function' }] }, 'tools', 'unsupported_parameter'],
    [{ response_format: { type: 'json_object' } }, 'response_format', 'unsupported_parameter'],
    [{ modalities: ['audio'] }, 'modalities', 'unsupported_parameter'],
    [{ logprobs: true }, 'logprobs', 'unsupported_parameter'],
    [{ messages: [] }, 'messages', 'invalid_value'],
    [{ messages: [{ role: 'assistant', content: 'x' }] }, 'messages', 'invalid_value'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
    [{ messages: [{ role: 'king', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
    [{ messages: 'x' }, 'messages', 'invalid_type'],
    [{ model: 5 }, 'model', 'invalid_type'],
  ]
  test.each(refused)('RS-21 RS-41 %j is a 400 that names the field', async (body, param, code) => {
    const answer = await service.call('POST', '/api/openai/v1/chat/completions', {
      body: { model: 'parrot', messages: ask('x'), ...body },
    })
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code },
    })
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })

  test('RS-21 RS-45 invalid JSON, unknown paths and unknown methods give error objects', async () => {
    const broken = await service.call('POST', '/api/openai/v1/chat/completions', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    const unknown = await service.call('POST', '/api/openai/v1/embeddings', { body: {} })
    const method = await service.call('DELETE', '/api/openai/v1/models')
    expect([broken.status, unknown.status, method.status]).toEqual([400, 404, 405])
    for (const answer of [broken, unknown, method])
      expect(Object.keys((answer.json() as { error: object }).error)).toEqual([
        'message',
        'type',
        'param',
        'code',
      ])
    expect(unknown.text).toContain('This server runs flows; it has no /embeddings.')
  })
})
