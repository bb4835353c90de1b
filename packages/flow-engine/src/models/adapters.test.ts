import { describe, expect, test } from 'vitest'
import type { ChatChunk, ChatModel, ChatRequest } from './chat-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'
import { fromLangChain } from './from-lang-chain.ts'

const request: ChatRequest = {
  messages: [
    { role: 'system', content: 's' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', args: { a: 1 } }] },
    { role: 'tool', content: '2', toolCallId: 'c', name: 'f' },
  ],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  signal: new AbortController().signal,
}

async function collect(model: ChatModel, change: Partial<ChatRequest> = {}): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = []
  for await (const chunk of model.stream({ ...request, ...change })) chunks.push(chunk)
  return chunks
}

describe('fromAiSdk (FE-50)', () => {
  const calls: { prompt: unknown[] }[] = []
  const sdk = {
    modelId: 'sdk-model',
    async doStream(call: { prompt: unknown[] }) {
      calls.push(call)
      return {
        stream: ReadableStream.from([
          { type: 'text-delta', id: '0', delta: 'Hel' },
          { type: 'text-delta', id: '0', delta: 'lo' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{"a":2}' },
          {
            type: 'finish',
            finishReason: 'tool-calls',
            usage: { inputTokens: 4, outputTokens: 5 },
          },
        ]),
      }
    },
    async doGenerate() {
      return {
        content: [{ type: 'text', text: 'whole' }],
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
      }
    },
  }

  test('streams text, tool calls and usage; the prompt has the format of the SDK', async () => {
    expect(await collect(fromAiSdk(sdk))).toEqual([
      { text: 'Hel' },
      { text: 'lo' },
      { toolCall: { id: 'c1', name: 'f', args: { a: 2 } } },
      { finish: 'tool_calls', usage: { inputTokens: 4, outputTokens: 5 } },
    ])
    expect(calls[0]?.prompt).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'f',
            output: { type: 'text', value: '2' },
          },
        ],
      },
    ])
  })

  test('a plain request is one call, in the format of either version', async () => {
    expect(await collect(fromAiSdk(sdk), { stream: false })).toEqual([
      { text: 'whole' },
      { finish: 'stop', usage: { inputTokens: 1, outputTokens: 2 } },
    ])
  })

  test('FE-50: signal, settings, tool choice and response format are sent', async () => {
    const schema = { type: 'object' }
    const settings = { temperature: 0.5, maxTokens: 9, seed: 7 }
    await collect(fromAiSdk(sdk), {
      ...settings,
      toolChoice: 'f',
      responseFormat: { name: 'N', schema },
    })
    expect(calls.at(-1)).toMatchObject({
      temperature: 0.5,
      maxOutputTokens: 9,
      seed: 7,
      toolChoice: { type: 'tool', toolName: 'f' },
      responseFormat: { type: 'json', schema, name: 'N' },
    })
    expect(Reflect.get(calls.at(-1) ?? {}, 'abortSignal')).toBe(request.signal)
    await collect(fromAiSdk(sdk))
    expect(calls.at(-1)).toMatchObject({ toolChoice: { type: 'auto' } })
  })

  test('FE-50: an error part makes the stream fail', async () => {
    const failing = {
      ...sdk,
      doStream: async () => ({
        stream: ReadableStream.from([{ type: 'error', error: new RangeError('too long') }]),
      }),
    }
    await expect(collect(fromAiSdk(failing))).rejects.toThrow('too long')
  })
})

describe('fromLangChain (FE-50)', () => {
  const model = {
    model: 'chain-model',
    bindTools: () => model,
    async invoke() {
      return { content: 'whole', tool_calls: [{ id: 'c', name: 'f', args: { a: 1 } }] }
    },
    async stream() {
      return ReadableStream.from([
        { content: 'Hel' },
        { content: [{ type: 'text', text: 'lo' }] },
        { content: '', tool_call_chunks: [{ index: 0, id: 'c', name: 'f', args: '{"a"' }] },
        { content: '', tool_call_chunks: [{ index: 0, args: ':3}' }] },
        { content: '', usage_metadata: { input_tokens: 1, output_tokens: 2 } },
      ])
    },
  }

  test('joins the fragments of tool calls and reports usage', async () => {
    expect(await collect(fromLangChain(model))).toEqual([
      { text: 'Hel' },
      { text: 'lo' },
      { toolCall: { id: 'c', name: 'f', args: { a: 3 } } },
      { finish: 'tool_calls', usage: { inputTokens: 1, outputTokens: 2 } },
    ])
  })

  test('a plain request returns text and calls', async () => {
    expect(await collect(fromLangChain(model), { stream: false })).toEqual([
      { text: 'whole' },
      { toolCall: { id: 'c', name: 'f', args: { a: 1 } } },
      { finish: 'tool_calls' },
    ])
  })

  test('FE-50: the signal goes with each request, the tool choice with the tools', async () => {
    const seen: unknown[] = []
    const watched = {
      ...model,
      bindTools(tools: unknown[], options: object) {
        seen.push(tools, options)
        return watched
      },
      async invoke(_messages: unknown[], options: object) {
        seen.push(options)
        return { content: 'whole' }
      },
    }
    await collect(fromLangChain(watched), { stream: false, toolChoice: 'f' })
    expect(seen).toEqual([
      [{ type: 'function', function: request.tools?.[0] }],
      { tool_choice: 'f' },
      { signal: request.signal },
    ])
    expect((seen[2] as ChatRequest).signal).toBe(request.signal)
  })

  test('tools for a model without tool calling are refused', async () => {
    const { bindTools: _without, ...plain } = model
    await expect(collect(fromLangChain(plain))).rejects.toThrow('cannot call tools')
  })
})
