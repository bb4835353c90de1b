import type { FakeOpenAi } from '@x/flow-engine/testing'
import OpenAI, { BadRequestError, InternalServerError, NotFoundError } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFlow } from './flows.ts'
import { type Gate } from './model-gate.ts'
import { newPerson, type Person } from './people.ts'
import { type Service } from './service.ts'
import { agentGraph } from './material.ts'
import { startChatService, failed } from './model-service.ts'

let service: Service
let model: FakeOpenAi
let gate: Gate
let bob: Person
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, gate, end } = await startChatService())
  await createFlow(service, { name: 'Agent', data: agentGraph(), endpoint_name: 'agent' })
  bob = await newPerson(service, 'bob')
})
afterAll(() => end())
beforeEach(() => void model.requests.splice(0))

const client = (apiKey = service.key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.url}/api/openai/v1` })
const asked = () => JSON.stringify(model.requests)

/** Every event of a stream, and its numbers without a gap. */
async function eventsOf(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()])
  return events
}

describe('responses of the OpenAI API', () => {
  test('RS-25 RS-30 a response contains the answer of the flow and can be retrieved', async () => {
    model.reply({ text: 'Hello', usage: { inputTokens: 4, outputTokens: 1 } })
    const response = await client().responses.create({
      model: 'chat',
      input: 'Hi',
      instructions: 'Be brief.',
      metadata: { order: '17' },
      temperature: 0.5,
    })
    expect(response.output_text).toBe('Hello')
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'chat',
      instructions: 'Be brief.',
      metadata: { order: '17' },
      temperature: 0.5,
      store: true,
      previous_response_id: null,
      usage: { input_tokens: 4, output_tokens: 1, total_tokens: 5 },
    })
    expect(response.id).toMatch(/^resp_[0-9a-f]{48}$/)
    const { output_text: _, ...sent } = response
    expect(await client().responses.retrieve(response.id)).toMatchObject(sent)
  })

  test('RS-24 a conversation continues in the session of the previous response', async () => {
    const first = await client().responses.create({ model: 'parrot', input: 'I am Ada' })
    const second = await client().responses.create({
      model: 'parrot',
      input: 'Who am I?',
      previous_response_id: first.id,
    })
    expect(second.previous_response_id).toBe(first.id)
    expect(second.id).not.toBe(first.id)
    const stored = await service.call('GET', '/api/v1/monitor/messages')
    const messages = stored.json() as { text: string; session_id: string }[]
    const of = (text: string) => messages.find((message) => message.text === text)?.session_id
    expect(of('I am Ada')).toBe(of('Who am I?'))
    const error = await failed(
      client(bob.key).responses.create({
        model: 'parrot',
        input: 'x',
        previous_response_id: first.id,
      }),
    )
    expect(error).toBeInstanceOf(NotFoundError)
    const unknown = { model: 'parrot', input: 'x', previous_response_id: `resp_${'0'.repeat(48)}` }
    expect(await failed(client().responses.create(unknown))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
  })

  test('RS-28 tokens are events in the order of the SDK; the last event has the stored response', async () => {
    model.reply({ chunks: ['One', ' two'], usage: { inputTokens: 2, outputTokens: 2 } })
    const stream = await client().responses.create({ model: 'chat', input: 'Count', stream: true })
    const events = await eventsOf(stream)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
    const { output_text: _, ...found } = await client().responses.retrieve(last.response.id)
    expect(found).toEqual(last.response)
  })

  test('RS-28 the SDK helper assembles a stream, also of a single delta', async () => {
    const deltas: string[] = []
    const runner = client().responses.stream({ model: 'parrot', input: 'Polly' })
    runner.on('response.output_text.delta', ({ delta }) => void deltas.push(delta))
    const response = await runner.finalResponse()
    expect(deltas).toEqual(['Polly'])
    expect(response.output_text).toBe('Polly')
  })

  test('RS-27 tool calls of agents are items before the message', async () => {
    const script = () =>
      model.reply(
        { toolCalls: [{ name: 'evaluate_expression', args: { expression: '6*7' } }] },
        '42',
      )
    script()
    const input = [{ role: 'user' as const, content: 'Six times seven?' }]
    const response = await client().responses.create({ model: 'agent', input })
    expect(response.output).toMatchObject([
      {
        type: 'mcp_call',
        server_label: 'flow',
        name: 'evaluate_expression',
        status: 'completed',
        arguments: '{"expression":"6*7"}',
        output: expect.stringContaining('42'),
        error: null,
      },
      { type: 'message', content: [{ text: '42' }] },
    ])
    script()
    const stream = await client().responses.create({ model: 'agent', input, stream: true })
    const events = await eventsOf(stream)
    const types = new Set(events.map(({ type }) => type))
    for (const type of ['mcp_call.in_progress', 'mcp_call_arguments.done', 'mcp_call.completed'])
      expect(types).toContain(`response.${type}`)
    const { response: final } = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
    expect(final.output.map(({ type }) => type)).toEqual(['mcp_call', 'message'])
    // Sent back in the next request, they are passed over.
    const again = [...input, ...(final.output as never[]), { role: 'user' as const, content: 'ok' }]
    const next = await client().responses.create({ model: 'parrot', input: again })
    expect(next.output_text).toBe('ok')
  })

  test('RS-23 earlier items and instructions reach the flow and are not stored', async () => {
    model.reply('You are Ada')
    await client().responses.create({
      model: 'agent',
      input: [
        { role: 'user', content: 'I am Ada' },
        { role: 'assistant', content: 'Good morning' },
        { role: 'user', content: [{ type: 'input_text', text: 'Who am I then?' }] },
      ],
    })
    expect(asked()).toMatch(/I am Ada.*Good morning.*Who am I then\?/)
  })

  test('RS-22 images and files of the last message reach the chat input', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
    const ask = (part: object) =>
      client().responses.create({
        model: 'parrot',
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'look' }, part as never] }],
      })
    await ask({ type: 'input_image', image_url: `data:image/png;base64,${png}` })
    const stored = await service.call('GET', '/api/v1/monitor/messages')
    const messages = stored.json() as { text: string; sender: string; files: unknown[] }[]
    const seen = messages.find(({ text, sender }) => text === 'look' && sender === 'User')
    expect(JSON.stringify(seen?.files)).toMatch(/image\.png/)
    const wrong: [object, RegExp][] = [
      [{ type: 'input_image', image_url: 'https://example.com/a.png' }, /data: address/],
      [{ type: 'input_image', image_url: 'data:image/png;base64,aGVsbG8=' }, /PNG, JPEG/],
      [{ type: 'input_image', image_url: 'data:image/png;base64,%%%' }, /no base64/],
      [{ type: 'input_file', file_id: 'none' }, /no file/],
    ]
    for (const [part, message] of wrong) {
      const error = await failed(ask(part))
      expect(error).toBeInstanceOf(BadRequestError)
      expect(error).toMatchObject({
        param: 'input[0].content[1]',
        message: expect.stringMatching(message),
      })
    }
  })

  test('RS-34 input items are listed; a deleted response is not found', async () => {
    const { id } = await client().responses.create({
      model: 'parrot',
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    })
    const page = await client().responses.inputItems.list(id, { limit: 2 })
    expect(page.data).toMatchObject([
      { content: [{ text: 'three' }] },
      { content: [{ text: 'two' }] },
    ])
    const all = []
    for await (const item of client().responses.inputItems.list(id, { limit: 1, order: 'asc' }))
      all.push(item)
    expect(all).toHaveLength(3)
    expect(await failed(client(bob.key).responses.retrieve(id))).toBeInstanceOf(NotFoundError)
    expect(await failed(client(bob.key).responses.delete(id))).toBeInstanceOf(NotFoundError)
    await client().responses.delete(id)
    const calls = [
      () => client().responses.retrieve(id),
      () => client().responses.delete(id),
      () => client().responses.inputItems.list(id),
    ]
    for (const call of calls)
      expect(await failed(Promise.resolve(call()))).toMatchObject({
        status: 404,
        code: 'response_not_found',
      })
  })

  test('RS-30 `store: false` stores nothing, RS-33 only background responses can be cancelled', async () => {
    const quiet = await client().responses.create({ model: 'parrot', input: 'x', store: false })
    expect(await failed(client().responses.retrieve(quiet.id))).toBeInstanceOf(NotFoundError)
    const kept = await client().responses.create({ model: 'parrot', input: 'x' })
    expect(await failed(client().responses.cancel(kept.id))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Cannot cancel a synchronous response.'),
    })
  })

  test('RS-21 RS-28 a failing flow runs once and gives an error, or the last event of a stream', async () => {
    const error = await failed(client().responses.create({ model: 'chat', input: 'refuse' }))
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ code: 'flow_failed' })
    const stream = await client().responses.create({ model: 'chat', input: 'refuse', stream: true })
    const events = await eventsOf(stream)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    })
  })

  test('RS-29 aborting a stream ends the run and its model call', async () => {
    const stream = await client().responses.create({ model: 'chat', input: 'wait', stream: true })
    const reading = failed(eventsOf(stream))
    await expect.poll(() => gate.waiting).toBe(1)
    stream.controller.abort()
    await reading
    await expect.poll(() => gate.waiting).toBe(0)
  })

  const refused: readonly [object, string | null, string][] = [
    [{ tools: [{ type: 'web_search' }] }, 'tools', 'unsupported_parameter'],
    [{ text: { format: { type: 'json_object' } } }, 'text.format', 'unsupported_parameter'],
    [{ conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
    [{ prompt: { id: 'p' } }, 'prompt', 'unsupported_parameter'],
    [{ metadata: { key: 'x'.repeat(513) } }, 'metadata', 'invalid_value'],
    [{ input: undefined }, 'input', 'invalid_value'],
    [{ input: [] }, 'input', 'invalid_value'],
    [{ input: [{ type: 'computer_call' }] }, 'input[0].type', 'invalid_value'],
    [{ input: [{ role: 'user', content: 5 }] }, 'input[0].content', 'invalid_type'],
    [{ stream: 'maybe' }, 'stream', 'invalid_type'],
  ]
  test.each(refused)('RS-21 RS-26 %j is a 400 that names the field', async (body, param, code) => {
    const answer = await service.call('POST', '/api/openai/v1/responses', {
      body: { model: 'parrot', input: 'x', ...body },
    })
    expect([answer.status, answer.json()]).toEqual([
      400,
      { error: { message: expect.any(String), type: 'invalid_request_error', param, code } },
    ])
  })

  test('RS-26 parameters without effect are accepted', async () => {
    const response = await client().responses.create({
      model: 'parrot',
      input: 'x',
      tools: [],
      tool_choice: 'none',
      reasoning: { effort: 'low' },
      max_output_tokens: 100,
      truncation: 'auto',
      include: ['reasoning.encrypted_content'],
    })
    expect(response).toMatchObject({ tool_choice: 'none', max_output_tokens: 100 })
  })
})
