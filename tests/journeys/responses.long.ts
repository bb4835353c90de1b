import type { FakeOpenAi } from '@x/flow-engine/testing'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFlow, graphOf } from './flows.ts'
import { newPerson, type Person } from './people.ts'
import { type Answer, type Service } from './service.ts'
import { agentGraph } from './material.ts'
import { startChatService } from './model-service.ts'

let service: Service
let model: FakeOpenAi
let bob: Person
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, end } = await startChatService())
  bob = await newPerson(service, 'bob')
})
afterAll(() => end())
beforeEach(() => void model.requests.splice(0))

const post = (body: object, key: string | null = service.key, headers = {}) =>
  service.call('POST', '/api/v1/responses', { body, key, headers })
const client = (apiKey = service.key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.url}/api/v1`, maxRetries: 0 })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** The events of a stream, by their `data`. */
const eventsOf = ({ text }: Answer) =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => /^(?:event: (.*)\n)?data: (.*)$/.exec(event)?.slice(1) ?? [])
    .map(([name, data = '']) => ({ name, data: data === '[DONE]' ? data : parsed(data) }))

// The expectation about an event decides which fields it has.
const parsed = (text: string) => JSON.parse(text)

describe('POST /api/v1/responses', () => {
  test('RS-5 RS-7 the official client gets the answer of the flow, and the response id continues the session', async () => {
    model.reply({ text: 'Hello Ada', usage: { inputTokens: 5, outputTokens: 2 } }, 'Again')
    const first = await client().responses.create({ model: 'chat', input: 'I am Ada' })
    expect(first.output_text).toBe('Hello Ada')
    expect(first.usage).toMatchObject({ input_tokens: 5, output_tokens: 2, total_tokens: 7 })
    expect(first.output).toEqual([
      {
        type: 'message',
        id: `msg_${first.id}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello Ada', annotations: [] }],
      },
    ])
    const second = await client().responses.create({
      model: 'chat',
      input: 'And now?',
      previous_response_id: first.id,
    })
    expect([second.id, second.previous_response_id]).toEqual([first.id, first.id])
    const stored = await service.call('GET', `/api/v1/monitor/messages?session_id=${first.id}`)
    const texts = (stored.json() as { text: string }[]).map(({ text }) => text)
    expect(texts).toEqual(['I am Ada', 'Hello Ada', 'And now?', 'Again'])
  })

  test('RS-7 a flow without a model has no usage', async () => {
    const answer = await post({ model: 'parrot', input: 'Polly' })
    expect(answer.json()).toMatchObject({ status: 'completed', usage: null, object: 'response' })
    expect(answer.text).toContain('Polly')
  })

  test('RS-9 tokens arrive one by one, and the last events report completion', async () => {
    model.reply({ chunks: ['One', ' and', ' two'], usage: { inputTokens: 3, outputTokens: 3 } })
    const answer = await post({ model: 'chat', input: 'Count', stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    const events = eventsOf(answer)
    const chunks = events.filter(({ data }) => data.object === 'response.chunk')
    expect(chunks.map(({ data }) => data.delta)).toEqual([
      { content: '' },
      { content: 'One' },
      { content: ' and' },
      { content: ' two' },
      {},
    ])
    expect(chunks.at(-1)?.data).toMatchObject({ status: 'completed', finish_reason: 'stop' })
    expect(events.at(-2)).toMatchObject({
      name: 'response.completed',
      data: { response: { status: 'completed', usage: { total_tokens: 6 } } },
    })
    expect(events.at(-1)?.data).toBe('[DONE]')
  })

  test('RS-9 a flow without tokens streams its text as one chunk', async () => {
    const events = eventsOf(await post({ model: 'parrot', input: 'Polly', stream: true }))
    const texts = events.flatMap(({ data }) => data.delta?.content ?? [])
    expect(texts).toEqual(['', 'Polly'])
  })

  test('RS-9 RS-6 a failing run returns an error, streamed or not', async () => {
    const whole = await post({ model: 'chat', input: 'Hi' })
    expect([whole.status, whole.json()]).toEqual([
      200,
      {
        error: {
          type: 'processing_error',
          message: expect.stringContaining('The script is used up'),
        },
      },
    ])
    expect(whole.text).toContain('Error running graph: Error building Component')
    const events = eventsOf(await post({ model: 'chat', input: 'Hi', stream: true }))
    expect(events.at(-2)?.data).toMatchObject({
      delta: { content: expect.stringContaining('The script is used up') },
      status: 'failed',
      finish_reason: 'error',
    })
    expect(events.at(-1)?.data).toBe('[DONE]')
  })

  test('RS-8 RS-9 tool calls of an agent come before its message', async () => {
    await createFlow(service, { name: 'Agent', data: agentGraph(), endpoint_name: 'agent' })
    const toolCalls = [{ name: 'evaluate_expression', args: { expression: '6*7' } }]
    const item = { type: 'function_call', status: 'completed', name: 'evaluate_expression' }
    model.reply({ toolCalls }, 'It is 42')
    const whole = (await post({ model: 'agent', input: '6*7?' })).json()
    expect(whole).toMatchObject({
      output: [{ ...item, id: 'fc_1', call_id: 'call_1' }, { type: 'message' }],
    })
    model.reply({ toolCalls }, 'It is 42')
    const include = ['tool_call.results']
    const results = (await post({ model: 'agent', input: '6*7?', include })).json()
    expect(results).toMatchObject({
      output: [
        { type: 'tool_call', id: 'evaluate_expression_1', queries: ['6*7'] },
        { type: 'message', content: [{ text: 'It is 42' }] },
      ],
    })
    model.reply({ toolCalls }, 'It is 42')
    const events = eventsOf(await post({ model: 'agent', input: '6*7?', stream: true }))
    expect(events.flatMap(({ name }) => name ?? [])).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.find(({ name }) => name === 'response.output_item.done')?.data).toMatchObject({
      item: { ...item, arguments: '{"expression":"6*7"}' },
    })
  })

  test('RS-2 a key is accepted as header and as Bearer; a token or no key is refused', async () => {
    const body = { model: 'parrot', input: 'x' }
    expect((await post(body, null, bearer(service.key))).status).toBe(200)
    const statuses = [
      await post(body, null),
      await post(body, null, bearer('sk-wrong')),
      await post(body, null, bearer(bob.token)),
    ].map(({ status, text }) => [status, text])
    expect(statuses).toEqual([
      [403, '{"detail":"An API key must be passed as query or header"}'],
      [403, '{"detail":"Invalid or missing API key"}'],
      [403, '{"detail":"An API key must be passed as query or header"}'],
    ])
  })

  test('RS-4 flows of other users are not found by endpoint name, id or name', async () => {
    const own = await service.call('GET', '/api/v1/flows/?remove_example_flows=true')
    const ids = (own.json() as { id: string }[]).map(({ id }) => id)
    for (const name of ['parrot', 'Echo', ...ids]) {
      const answer = await post({ model: name, input: 'x' }, bob.key)
      expect([answer.status, answer.json()]).toEqual([
        200,
        {
          error: {
            message: `Flow with id '${name}' not found`,
            type: 'invalid_request_error',
            code: 'flow_not_found',
          },
        },
      ])
    }
  })

  test('RS-6 tools are refused first, then flows without chat input or output', async () => {
    const tools = await post({ model: 'nothing', input: 'x', tools: [], stream: true })
    expect(tools.json()).toMatchObject({ error: { code: 'tools_not_supported' } })
    const silent = await createFlow(service, {
      name: 'Silent',
      data: graphOf((flow) => void flow.add('ChatInput')),
    })
    const deaf = await createFlow(service, {
      name: 'Deaf',
      data: graphOf((flow) => void flow.add('ChatOutput')),
    })
    const messages = await Promise.all(
      [silent, deaf].map(async ({ id }) => (await post({ model: id, input: 'x' })).json()),
    )
    expect(messages).toEqual(
      ['ChatOutput', 'ChatInput'].map((type) => ({
        error: {
          type: 'processing_error',
          message: `Flow must have a ${type} component to be compatible with OpenAI Responses API`,
        },
      })),
    )
  })

  test('RS-3 RS-10 invalid bodies are a 422 that names the field; other methods are a 405', async () => {
    const bodies: readonly [object, (string | number)[]][] = [
      [{ input: 'x' }, ['body', 'model']],
      [{ model: 'parrot' }, ['body', 'input']],
      [{ model: 'parrot', input: 5 }, ['body', 'input']],
      [{ model: 'parrot', input: [{ type: 'computer_call' }] }, ['body', 'input']],
      [{ model: 'parrot', input: 'x', include: 'y' }, ['body', 'include']],
    ]
    for (const [body, loc] of bodies) {
      const answer = await post(body)
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc }] }])
    }
    expect((await service.call('GET', '/api/v1/responses')).status).toBe(405)
    expect((await service.call('GET', '/api/v1/responses/abc')).status).toBe(404)
  })

  test('RS-3 RS-22 of a list of items the last user message is the input', async () => {
    const response = await client().responses.create({
      model: 'parrot',
      input: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: [{ type: 'input_text', text: 'second' }] },
      ],
    })
    expect(response.output_text).toBe('second')
  })
})
