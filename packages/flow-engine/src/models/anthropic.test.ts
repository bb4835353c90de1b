import { describe, expect, test } from 'vitest'
import { createAnthropicModel } from './anthropic.ts'
import type { ChatChunk, ChatRequest } from './chat-model.ts'

const signal = new AbortController().signal

async function collect(answer: Response, request: Partial<ChatRequest> = {}) {
  const sent: unknown[] = []
  const heads: unknown[] = []
  const model = createAnthropicModel({
    model: 'claude',
    apiKey: 'key-1234',
    maxRetries: 0,
    async fetch(_url, init) {
      heads.push(Object.fromEntries(new Headers(init?.headers)))
      sent.push(await new Response(init?.body ?? null).json())
      return answer
    },
  })
  const chunks: ChatChunk[] = []
  const messages = [{ role: 'user' as const, content: 'hi' }]
  for await (const chunk of model.stream({ messages, signal, ...request })) chunks.push(chunk)
  return { chunks, sent, heads }
}

function events(...list: object[]): Response {
  const text = list.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

describe('createAnthropicModel (FE-50)', () => {
  test('streams text and tool calls, with the usage of the first and the last event', async () => {
    const { chunks } = await collect(
      events(
        { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 't1', name: 'add' },
        },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
        },
        { type: 'content_block_stop', index: 1 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      ),
    )

    expect(chunks).toEqual([
      { text: 'Hi' },
      { toolCall: { id: 't1', name: 'add', args: { a: 1 } } },
      { finish: 'tool_calls', usage: { inputTokens: 5, outputTokens: 9 } },
    ])
  })

  test('DO-25: thinking is no text', async () => {
    const delta = (type: string, text: object) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type, ...text },
    })
    const { chunks } = await collect(
      events(delta('thinking_delta', { thinking: 'Hm' }), delta('text_delta', { text: 'Hi' })),
    )
    expect(chunks.slice(0, 2)).toEqual([{ reasoning: 'Hm' }, { text: 'Hi' }])
  })

  test('system texts are separate, tool results are user parts, roles alternate', async () => {
    const answer = Response.json({
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
    })

    const { sent } = await collect(answer, {
      stream: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'one' },
        { role: 'user', content: [{ type: 'image', url: 'data:image/png;base64,AA' }] },
        { role: 'assistant', content: '', toolCalls: [{ id: 't', name: 'f', args: { a: 1 } }] },
        { role: 'tool', content: '2', toolCallId: 't' },
      ],
    })

    expect(sent[0]).toEqual({
      model: 'claude',
      max_tokens: 1024,
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: '2' }],
        },
      ],
    })
  })

  test('FE-50: key and version are headers; settings, tools and tool choice are sent in the vendor format', async () => {
    const answer = Response.json({
      content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 2, output_tokens: 3 },
    })
    const parameters = { type: 'object' }
    const { chunks, sent, heads } = await collect(answer, {
      model: 'other',
      temperature: 0.5,
      maxTokens: 9,
      tools: [{ name: 'f', description: 'd', parameters }],
      toolChoice: 'f',
    })
    expect(heads).toMatchObject([{ 'x-api-key': 'key-1234', 'anthropic-version': '2023-06-01' }])
    expect(sent[0]).toMatchObject({
      model: 'other',
      max_tokens: 9,
      temperature: 0.5,
      stream: true,
      tools: [{ name: 'f', description: 'd', input_schema: parameters }],
      tool_choice: { type: 'tool', name: 'f' },
    })
    expect(chunks).toEqual([
      { toolCall: { id: 't', name: 'f', args: { a: 1 } } },
      { finish: 'length', usage: { inputTokens: 2, outputTokens: 3 } },
    ])
  })

  test('FE-50: the error for an invalid answer does not contain the key', async () => {
    await expect(collect(new Response('<p>key-1234</p>'))).rejects.toMatchObject({
      message: 'Unexpected answer: <p>*****</p>',
    })
  })

  test('an error in mid-stream makes the stream fail', async () => {
    const answer = events({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })

    await expect(collect(answer)).rejects.toMatchObject({
      code: 'model_failed',
      provider: { code: 'overloaded_error' },
    })
  })
})
