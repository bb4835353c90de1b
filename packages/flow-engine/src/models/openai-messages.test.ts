import { describe, expect, test } from 'vitest'
import type { ChatRequest } from './chat-model.ts'
import { chatBody, createDeltaReader, readCompletion } from './openai-messages.ts'

const body = (change: Partial<ChatRequest> = {}, model = 'm') =>
  chatBody(
    {
      messages: [{ role: 'user', content: 'hi' }],
      signal: new AbortController().signal,
      ...change,
    },
    { model },
  )

describe('chatBody (FE-50)', () => {
  test('FE-50: a stream tells its usage at the end, a plain request has no such option', () => {
    expect(body()).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(body({ stream: false })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
    })
  })

  test('FE-50: the model of a request goes before that of the client', () => {
    expect(body({ model: 'other' })).toMatchObject({ model: 'other' })
    expect(body({ model: 'o3-mini', temperature: 1 })).not.toHaveProperty('temperature')
  })

  test('FE-50: a tool that must be called, and an answer of a given form', () => {
    const schema = { type: 'object' }
    expect(body({ toolChoice: 'f', responseFormat: { name: 'N', schema } })).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'N', schema, strict: true } },
    })
  })

  test('FE-50: arguments that were no JSON go back as they came', () => {
    const toolCalls = [{ id: 'c', name: 'f', args: '{"a":' }]
    expect(body({ messages: [{ role: 'assistant', content: 'x', toolCalls }] })).toMatchObject({
      messages: [{ content: 'x', tool_calls: [{ function: { arguments: '{"a":' } }] }],
    })
  })
})

describe('createDeltaReader (FE-50)', () => {
  const piece = (index: number, part: object, id?: string) => ({
    choices: [{ delta: { tool_calls: [{ index, id, function: part }] } }],
  })

  test('FE-50: pieces of tool calls are put together by their index and come in its order', () => {
    const reader = createDeltaReader()
    const pieces = [
      piece(1, { name: 'g', arguments: '' }, 'c1'),
      piece(0, { name: 'f', arguments: '{"a"' }, 'c0'),
      piece(0, { arguments: ':1}' }, 'later'),
      { choices: [{ delta: {}, finish_reason: 'length' }] },
    ]
    expect(pieces.flatMap((each) => [...reader.read(each)])).toEqual([])
    expect([...reader.end()]).toEqual([
      { toolCall: { id: 'c0', name: 'f', args: { a: 1 } } },
      { toolCall: { id: 'c1', name: 'g', args: {} } },
      { finish: 'length' },
    ])
  })

  test('FE-50: a call without an id gets one by its place', () => {
    const calls = [{ function: { name: 'f' } }, { function: { name: 'g', arguments: '[1]' } }]
    const answer = { choices: [{ message: { tool_calls: calls }, finish_reason: 'function_call' }] }
    expect([...readCompletion(answer)]).toEqual([
      { toolCall: { id: 'call_0', name: 'f', args: {} } },
      { toolCall: { id: 'call_1', name: 'g', args: [1] } },
      { finish: 'tool_calls' },
    ])
  })
})
