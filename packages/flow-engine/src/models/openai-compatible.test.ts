import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { startFakeOpenAi, type FakeOpenAi } from '../testing/fake-openai.ts'
import type { ScriptedReply } from '../testing/scripted-model.ts'
import type { ChatChunk, ChatModel, ChatRequest } from './chat-model.ts'
import { createOpenAiEmbedder, createOpenAiModel } from './openai-compatible.ts'

const signal = new AbortController().signal
let server: FakeOpenAi | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function serve(...script: ScriptedReply[]): Promise<FakeOpenAi> {
  server = await startFakeOpenAi({ script })
  return server
}

async function collect(model: ChatModel, request: Partial<ChatRequest> = {}): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = []
  const messages = [{ role: 'user' as const, content: 'hi' }]
  for await (const chunk of model.stream({ messages, signal, ...request })) chunks.push(chunk)
  return chunks
}

const question = { messages: [{ role: 'user' as const, content: 'hi' }], signal }

describe('createOpenAiModel (FE-50)', () => {
  test('streams the chunks of an answer, then its usage', async () => {
    const { url } = await serve({ chunks: ['a', 'b'], usage: { inputTokens: 3, outputTokens: 2 } })

    const chunks = await collect(createOpenAiModel({ model: 'm', baseUrl: url }))

    expect(chunks).toEqual([
      { text: 'a' },
      { text: 'b' },
      { finish: 'stop', usage: { inputTokens: 3, outputTokens: 2 } },
    ])
  })

  test('a plain request returns its answer as one chunk', async () => {
    const { url, requests } = await serve({ chunks: ['a', 'b'] })

    const chunks = await collect(createOpenAiModel({ model: 'm', baseUrl: `${url}/` }), {
      stream: false,
    })

    expect(chunks[0]).toEqual({ text: 'ab' })
    expect(requests[0]).toMatchObject({ stream: false })
  })

  test('tool calls come whole, with parsed arguments or the raw string if it is not JSON', async () => {
    const { url } = await serve({
      toolCalls: [
        { name: 'add', args: { a: 1 } },
        { name: 'add', args: 'no JSON' },
      ],
    })

    const chunks = await collect(createOpenAiModel({ model: 'm', baseUrl: url }))

    expect(chunks).toMatchObject([
      { toolCall: { name: 'add', args: { a: 1 } } },
      { toolCall: { name: 'add', args: 'no JSON' } },
      { finish: 'tool_calls' },
    ])
  })

  test('messages, tools and settings are sent in the wire format', async () => {
    const { url, requests } = await serve('ok')

    await collect(createOpenAiModel({ model: 'm', baseUrl: url, body: { user: 'u' } }), {
      messages: [
        { role: 'user', content: [{ type: 'image', url: 'data:image/png;base64,AA' }] },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', args: { a: 1 } }] },
        { role: 'tool', content: '2', toolCallId: 'c', name: 'f' },
      ],
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
      temperature: 0.5,
      seed: 7,
      maxTokens: 9,
      responseFormat: 'json',
    })

    expect(requests[0]).toMatchObject({
      model: 'm',
      user: 'u',
      temperature: 0.5,
      seed: 7,
      max_completion_tokens: 9,
      response_format: { type: 'json_object' },
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          ],
        },
        { role: 'tool', content: '2', tool_call_id: 'c' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
  })

  test('reasoning models get neither temperature nor seed', async () => {
    const { url, requests } = await serve('ok')

    await collect(createOpenAiModel({ model: 'o3-mini', baseUrl: url }), {
      temperature: 1,
      seed: 1,
    })

    expect(requests[0]).not.toHaveProperty('temperature')
    expect(requests[0]).not.toHaveProperty('seed')
  })

  test('a truncated stream fails after the chunks received so far', async () => {
    const { url } = await serve({ chunks: ['a', 'b'], fail: new Error('cut'), failAfterChunks: 1 })
    const texts: ChatChunk[] = []

    const reading = (async () => {
      const model = createOpenAiModel({ model: 'm', baseUrl: url })
      for await (const chunk of model.stream(question)) texts.push(chunk)
    })()

    await expect(reading).rejects.toMatchObject({ code: 'model_failed' })
    expect(texts).toEqual([{ text: 'a' }])
  })

  test('retries on 429 and 5xx as Retry-After asks, then returns the answer', async () => {
    const runtime = createTestRuntime()
    const answers = [
      new Response('', { status: 429, headers: { 'retry-after': '7' } }),
      new Response('', { status: 503 }),
      Response.json({ choices: [{ message: { content: 'there' } }] }),
    ]
    const asked: number[] = []
    const model = createOpenAiModel({
      model: 'm',
      runtime,
      fetch: async () => {
        asked.push(runtime.now().getTime())
        return answers.shift() ?? Response.error()
      },
    })

    const answer = collect(model)
    await runtime.advance(7000)
    await runtime.advance(2000)

    expect((await answer)[0]).toEqual({ text: 'there' })
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(7000)
  })

  test('an error contains status, code and message, and never the key', async () => {
    const model = createOpenAiModel({
      model: 'm',
      apiKey: 'sk-very-secret',
      maxRetries: 0,
      fetch: async () =>
        Response.json(
          { error: { message: 'no such key sk-very-secret', code: 'invalid_api_key' } },
          { status: 401 },
        ),
    })

    const failure: unknown = await collect(model).catch((error: unknown) => error)

    expect(failure).toMatchObject({
      message: 'Error code: 401 - no such key *****',
      status: 401,
      provider: { status: 401, code: 'invalid_api_key', message: 'no such key *****' },
    })
  })

  test('gives up if no answer begins in time', async () => {
    const runtime = createTestRuntime()
    const model = createOpenAiModel({
      model: 'm',
      runtime,
      maxRetries: 0,
      timeoutMs: 500,
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })

    const answer = collect(model).catch(String)
    await runtime.advance(500)

    expect(await answer).toContain('timed out after 500 ms')
  })

  test('FE-50: the key is sent as a bearer token, along with further headers', async () => {
    const sent: unknown[] = []
    const model = createOpenAiModel({
      model: 'm',
      apiKey: 'sk-very-secret',
      headers: { 'x-team': 'a' },
      async fetch(url, init) {
        const headers = Object.fromEntries(new Headers(init?.headers))
        sent.push([url, headers])
        return Response.json({ choices: [{ message: { content: 'ok' } }] })
      },
    })
    await collect(model)
    expect(sent).toMatchObject([
      [
        'https://api.openai.com/v1/chat/completions',
        { authorization: 'Bearer sk-very-secret', 'x-team': 'a' },
      ],
    ])
  })

  test('FE-50: an error with status 200 and a stream that breaks off do not show the key', async () => {
    const failing = async (answer: Response) =>
      collect(
        createOpenAiModel({ model: 'm', apiKey: 'sk-very-secret', fetch: async () => answer }),
      ).catch((error: unknown) => error)
    const error = { message: 'no sk-very-secret', code: 'bad' }
    expect(await failing(Response.json({ error }))).toMatchObject({
      message: 'Unexpected answer: no *****',
      provider: { status: null, code: 'bad' },
    })
    expect(await failing(Response.json({ error: 'plain sk-very-secret' }))).toMatchObject({
      message: 'Unexpected answer: plain *****',
    })
    const broken = new ReadableStream({
      start: (stream) => stream.error(new Error('cut by sk-very-secret')),
    })
    const headers = { 'content-type': 'text/event-stream' }
    expect(await failing(new Response(broken, { headers }))).toMatchObject({
      message: 'The response was cut off: cut by *****',
      provider: { status: null, code: 'connection' },
    })
  })

  test('FE-64: an event that is too long fails with its limit, not as a broken connection', async () => {
    const headers = { 'content-type': 'text/event-stream' }
    const long = new Response(`data: ${'x'.repeat(8 * 1024 * 1024)}`, { headers })
    const asked = collect(createOpenAiModel({ model: 'm', fetch: async () => long }))
    await expect(asked).rejects.toMatchObject({
      code: 'limit_exceeded',
      detail: 'Limit event length exceeded: 8388608',
    })
  })

  test('an aborted signal ends the stream with its reason', async () => {
    const { url } = await serve({ chunks: ['a', 'b'], chunkDelayMs: 10_000 })
    const controller = new AbortController()
    const model = createOpenAiModel({ model: 'm', baseUrl: url })
    const reading = (async () => {
      for await (const chunk of model.stream({ ...question, signal: controller.signal })) {
        if ('text' in chunk) controller.abort(new Error('enough'))
      }
    })()

    await expect(reading).rejects.toThrow('enough')
  })
})

describe('createOpenAiEmbedder (CO-58)', () => {
  test('sends texts in batches and keeps their order', async () => {
    const { url, requests } = await serve()

    const vectors = await createOpenAiEmbedder({ model: 'e', baseUrl: url, chunkSize: 2 }).embed([
      'a',
      'b',
      'a',
    ])

    expect(requests).toMatchObject([{ input: ['a', 'b'] }, { input: ['a'] }])
    expect(vectors[0]).toEqual(vectors[2])
    expect(vectors[0]).not.toEqual(vectors[1])
  })

  test('CO-58: there is one vector for each text, in the order of the texts', async () => {
    const answering = (...data: object[]) =>
      createOpenAiEmbedder({ model: 'e', fetch: async () => Response.json({ data }) })
    const [first, second] = [
      { index: 0, embedding: [1] },
      { index: 1, embedding: [2] },
    ]
    expect(await answering(second, first).embed(['a', 'b'])).toEqual([[1], [2]])
    await expect(answering(first).embed(['a', 'b'])).rejects.toThrow(
      'The response has 1 embeddings for 2 texts',
    )
  })

  test('CO-58: a single empty text is sent as a string, not in a list', async () => {
    const { url, requests } = await serve()
    await createOpenAiEmbedder({ model: 'e', baseUrl: url }).embed([''])
    expect(requests).toMatchObject([{ input: '' }])
  })

  test('also reads answers in base64', async () => {
    const bytes = new Uint8Array(new Float32Array([0.5, -2]).buffer)
    const embedding = btoa(String.fromCharCode(...bytes))
    const model = createOpenAiEmbedder({
      model: 'e',
      fetch: async () => Response.json({ data: [{ index: 0, embedding }] }),
    })

    expect(await model.embed(['x'])).toEqual([[0.5, -2]])
  })
})
