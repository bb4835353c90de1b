import { afterEach, describe, expect, test } from 'vitest'
import { chatOutput, languageModel } from '@x/flow-engine/components'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createOpenAiModel } from '@x/flow-engine/models'
import type { ChatChunk, ChatModel, ChatRequest } from '@x/flow-engine'
import {
  createScriptedModel,
  flowBuilder,
  startFakeOpenAi,
  type FakeOpenAi,
  type ScriptedReply,
} from '@x/flow-engine/testing'

const signal = new AbortController().signal
const messages = [{ role: 'user' as const, content: 'hi' }]

/** The chunks, and the end. */
async function heard(model: ChatModel, request: Partial<ChatRequest> = {}) {
  const chunks: ChatChunk[] = []
  try {
    for await (const chunk of model.stream({ messages, signal, ...request })) chunks.push(chunk)
  } catch (error) {
    return { chunks, error }
  }
  return { chunks, error: undefined }
}

const texts = (chunks: readonly ChatChunk[]) =>
  chunks.flatMap((chunk) => ('text' in chunk ? [chunk.text] : []))

describe('the scripted model (FE-53)', () => {
  test('FE-53: replies come in order, and each request is recorded before it is answered', async () => {
    const model = createScriptedModel(['one', { text: 'two' }])
    expect((await heard(model)).chunks).toEqual([{ text: 'one' }, { finish: 'stop' }])
    const second = await heard(model, { temperature: 0.5 })
    expect(texts(second.chunks)).toEqual(['two'])
    const { error } = await heard(model)
    expect(error).toMatchObject({ code: 'script_exhausted' })
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([
      undefined,
      0.5,
      undefined,
    ])
  })

  test('FE-53: a function answers depending on the request', async () => {
    const model = createScriptedModel(
      ({ messages: asked }, index) => `${index}: ${JSON.stringify(asked.at(-1)?.content)}`,
    )
    await heard(model)
    expect(texts((await heard(model)).chunks)).toEqual(['1: "hi"'])
  })

  test('FE-53: chunks are streamed unchanged; a plain request gets them joined', async () => {
    const reply = { chunks: ['a', '', 'b'], usage: { inputTokens: 1, outputTokens: 2 } }
    const streamed = await heard(createScriptedModel([reply]))
    expect(streamed.chunks).toEqual([
      { text: 'a' },
      { text: '' },
      { text: 'b' },
      { finish: 'stop', usage: { inputTokens: 1, outputTokens: 2 } },
    ])
    expect(texts((await heard(createScriptedModel([reply]), { stream: false })).chunks)).toEqual([
      'ab',
    ])
  })

  test('FE-53: tool calls have ids of their own and keep arguments that are not JSON', async () => {
    const add = { name: 'add', args: { a: 1 } }
    const model = createScriptedModel([
      { text: 'let me see', toolCalls: [add, { ...add, args: '{"a":', id: 'mine' }] },
      { toolCalls: [add] },
    ])
    expect((await heard(model)).chunks).toEqual([
      { text: 'let me see' },
      { toolCall: { id: 'call_0', ...add } },
      { toolCall: { id: 'mine', name: 'add', args: '{"a":' } },
      { finish: 'tool_calls' },
    ])
    expect((await heard(model)).chunks[0]).toEqual({ toolCall: { id: 'call_1', ...add } })
  })

  test('FE-53: it fails at once, or after the given number of chunks', async () => {
    const fail = new RangeError('down')
    const model = createScriptedModel([
      { text: 'never', fail },
      { chunks: ['a', 'b', 'c'], fail, failAfterChunks: 2 },
      { chunks: ['a'], fail, failAfterChunks: 9 },
    ])
    expect(await heard(model)).toEqual({ chunks: [], error: fail })
    expect(await heard(model)).toEqual({ chunks: [{ text: 'a' }, { text: 'b' }], error: fail })
    expect(await heard(model)).toEqual({ chunks: [{ text: 'a' }], error: fail })
  })

  test('FE-53: a delay ends when the request is aborted', async () => {
    for (const reply of [
      { text: 'late', delayMs: 600_000 },
      { chunks: ['soon', 'late'], chunkDelayMs: 600_000 },
    ]) {
      const controller = new AbortController()
      const reading = heard(createScriptedModel([reply]), { signal: controller.signal })
      setImmediate(() => controller.abort(new RangeError('enough')))
      const { chunks, error } = await reading
      expect(error).toBeInstanceOf(Error)
      expect(texts(chunks)).toEqual('text' in reply ? [] : ['soon'])
    }
  })
})

describe('the server with the OpenAI protocol (FE-53)', () => {
  let server: FakeOpenAi | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })
  const serve = async (...script: ScriptedReply[]) => {
    server = await startFakeOpenAi({ script })
    return server
  }

  test('FE-53: listens only on loopback, each on a free port', async () => {
    const one = await serve()
    const two = await startFakeOpenAi()
    await two.close()
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(two.url).not.toBe(one.url)
  })

  test('FE-53: a reply gives a client of the server the same answer as the scripted model', async () => {
    const replies: ScriptedReply[] = [
      'plain',
      { chunks: ['a', 'b'], usage: { inputTokens: 3, outputTokens: 4 } },
      { toolCalls: [{ name: 'add', args: { a: 1 }, id: 'call_x' }] },
    ]
    for (const reply of replies) {
      const whole = typeof reply === 'string' ? { text: reply } : reply
      const scripted = { usage: { inputTokens: 1, outputTokens: 1 }, ...whole }
      const { url } = await serve(reply, reply)
      const client = createOpenAiModel({ model: 'm', baseUrl: url })
      for (const stream of [true, false]) {
        const { chunks } = await heard(createScriptedModel([scripted]), { stream })
        expect((await heard(client, { stream })).chunks).toEqual(chunks)
      }
      await server?.close()
    }
  })

  test('FE-53: replies can be added later or fail, and an exhausted script is an error', async () => {
    const fake = await serve()
    const { url, requests } = fake
    const client = createOpenAiModel({ model: 'm', baseUrl: url, maxRetries: 0 })
    fake.reply('added', { fail: new RangeError('out of order') })
    fake.reply({ chunks: ['half', 'whole'], fail: new RangeError('cut'), failAfterChunks: 1 })
    expect(texts((await heard(client)).chunks)).toEqual(['added'])
    expect(String((await heard(client)).error)).toContain('out of order')
    const cut = await heard(client)
    expect(texts(cut.chunks)).toEqual(['half'])
    expect(cut.error).toBeInstanceOf(Error)
    expect(String((await heard(client)).error)).toContain('used up')
    expect(requests).toHaveLength(4)
    expect(requests[0]).toMatchObject({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  })

  test('FE-53: a flow runs against it as against the vendor', async () => {
    const { url, requests } = await serve('from the server')
    const flow = flowBuilder()
    const id = flow.add(languageModel, { values: { input_value: 'hi', api_key: 'KEY' } })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect(`${id}.text_output`, 'ChatOutput-1.input_value')
    const environment = { KEY: 'sk-test', OPENAI_API_BASE: url }
    const run = runFlow(flow.toJSON(), {
      components: createRegistry([languageModel, chatOutput]),
      services: { environment },
    })
    expect((await run.result).text()).toBe('from the server')
    expect(requests).toHaveLength(1)
  })
})
