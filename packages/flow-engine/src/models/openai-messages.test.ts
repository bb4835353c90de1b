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
  test('FE-50: a stream asks for usage at its end, a plain request does not', () => {
    expect(body()).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(body({ stream: false })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
    })
  })

  test('FE-50: the model of a request overrides that of the client', () => {
    expect(body({ model: 'other' })).toMatchObject({ model: 'other' })
    expect(body({ model: 'o3-mini', temperature: 1 })).not.toHaveProperty('temperature')
  })

  test('FE-50: a required tool and a response format are sent', () => {
    const schema = { type: 'object' }
    expect(body({ toolChoice: 'f', responseFormat: { name: 'N', schema } })).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'N', schema, strict: true } },
    })
  })

  test('FE-50: arguments that were not JSON are sent back unchanged', () => {
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

  test('FE-50: fragments of tool calls are joined by index and come in its order', () => {
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

  test('DO-25: what the model thinks is no text, whatever the server calls it', () => {
    const reader = createDeltaReader()
    const deltas = ['reasoning_content', 'reasoning', 'thinking'].map((name) => ({
      choices: [{ delta: { content: '', [name]: name } }],
    }))
    expect(deltas.flatMap((each) => [...reader.read(each)])).toEqual([
      { reasoning: 'reasoning_content' },
      { reasoning: 'reasoning' },
      { reasoning: 'thinking' },
    ])
  })

  test('FE-50: a call without an id gets one from its position', () => {
    const calls = [{ function: { name: 'f' } }, { function: { name: 'g', arguments: '[1]' } }]
    const answer = { choices: [{ message: { tool_calls: calls }, finish_reason: 'function_call' }] }
    expect([...readCompletion(answer)]).toEqual([
      { toolCall: { id: 'call_0', name: 'f', args: {} } },
      { toolCall: { id: 'call_1', name: 'g', args: [1] } },
      { finish: 'tool_calls' },
    ])
  })
})
