import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { agent } from '@x/flow-engine/components'
import type { Data } from '../../src/graph/values/data.ts'
import type { ChatMessage, ChatModel, ChatRequest, Tool } from '../../src/models/chat-model.ts'
import { testComponent } from '@x/flow-engine/testing'

/** A model that gives the texts in order and keeps what it was asked. */
function scripted(...answers: string[]): ChatModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = []
  return {
    name: 'mine',
    requests,
    async *stream(request) {
      requests.push(request)
      yield { text: answers.shift() ?? '' }
      yield { finish: 'stop' }
    },
  }
}

async function run(model: ChatModel, inputs: object, output = 'response') {
  const { value, messages } = await testComponent(agent, {
    inputs: {
      model,
      input_value: 'Hi',
      add_current_date_tool: false,
      system_prompt: 'Be kind.',
      ...inputs,
    },
    inputTypes: { model: 'ModelInput' },
    output,
    sessionId: 's',
    chatOutput: true,
    runtime: createTestRuntime({ start: new Date('2026-11-22T23:59:00Z') }),
  })
  return { value, messages }
}
const system = (messages: readonly ChatMessage[] | undefined): unknown =>
  messages?.find(({ role }) => role === 'system')?.content
const rows = [
  { name: 'city', type: 'str', multiple: 'False' },
  { name: 'size', type: 'int', multiple: 'False' },
]

describe('Agent of newer versions (NX-23)', () => {
  test('NX-23: helper tools are added unless a connected tool has the same name', async () => {
    const model = scripted('x')
    await run(model, { add_calculator_tool: true, add_current_date_tool: true })
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual([
      'get_current_date',
      'evaluate_expression',
    ])
    const mine: Tool = {
      name: 'evaluate_expression',
      description: 'mine',
      parameters: { type: 'object' },
      call: async () => '',
    }
    const other = scripted('x')
    await run(other, { add_calculator_tool: true, tools: [mine] })
    expect(other.requests[0]?.tools).toMatchObject([{ description: 'mine' }])
    const older = scripted('x')
    await run(older, {})
    expect(older.requests[0]?.tools).toBeUndefined()
  })

  test('NX-23: three names in the system prompt are filled in, other braces stay', async () => {
    const model = scripted('x')
    const system_prompt =
      '{current_date} {model_name} [{optional_user_context}] {"a": {b}} {{current_date}}'
    await run(model, { system_prompt })
    expect(system(model.requests[0]?.messages)).toBe('2026-11-22 mine [] {"a": {b}} {2026-11-22}')
  })
})

describe('the structured response of an Agent (NX-24)', () => {
  const ask = async (model: ChatModel, inputs: object = {}): Promise<object> =>
    ((await run(model, { output_schema: rows, ...inputs }, 'structured_response')).value as Data)
      .data

  test('NX-24: without a schema the input is returned without a request', async () => {
    const model = scripted('x')
    expect(await ask(model, { output_schema: [] })).toEqual({ content: 'Hi' })
    expect(model.requests).toEqual([])
  })

  test('NX-24: without tools one request is sent with the schema; its key avoids the name of a field', async () => {
    const model = scripted('{"objects": [{"city": "Brno", "size": 3}]}')
    expect(await ask(model)).toEqual({ city: 'Brno', size: 3 })
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]?.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(model.requests[0]?.responseFormat).toMatchObject({
      schema: { required: ['objects'], properties: { objects: { minItems: 1 } } },
    })
    const named = scripted('{"objects_": [{"objects": "o"}]}')
    const output_schema = [{ name: 'objects', type: 'str', multiple: false }]
    expect(await ask(named, { output_schema })).toEqual({ objects: 'o' })
    expect(named.requests[0]?.responseFormat).toMatchObject({ schema: { required: ['objects_'] } })
  })

  test('NX-24: with tools the agent runs without a message, and its prompt ends with a request for JSON', async () => {
    const model = scripted('Here: {"city": "Brno", "size": 3} done.')
    const given = { add_calculator_tool: true, format_instructions: 'Short.', output_schema: rows }
    const { value, messages } = await run(model, given, 'structured_response')
    expect((value as Data).data).toEqual({ city: 'Brno', size: 3 })
    expect(messages).toEqual([])
    expect(system(model.requests[0]?.messages)).toMatch(
      /^Be kind\.\n\nFormat instructions: Short\.\n\n[\s\S]*Schema: \{[\s\S]*\}$/,
    )
  })

  test.each([
    [
      '[{"city": "a", "size": 1}, {"city": "b", "size": 2}]',
      {
        results: [
          { city: 'a', size: 1 },
          { city: 'b', size: 2 },
        ],
      },
    ],
    ['nothing', { content: 'nothing', error: 'Try setting an output schema' }],
    ['[broken {"city": "a", "size": 1}', { city: 'a', size: 1 }],
  ])('NX-24: the answer %s', async (answer, expected) => {
    expect(await ask(scripted(answer))).toEqual(expected)
  })

  test('NX-24: an invalid record is kept with the reason', async () => {
    expect(await ask(scripted('{"city": "a", "size": "big"}'))).toEqual({
      data: { city: 'a', size: 'big' },
      validation_error: 'The field size of the model response must be of type integer',
    })
  })

  test('NX-24: a missing model, a failed request and an invalid schema never fail the run', async () => {
    const failing: ChatModel = {
      // eslint-disable-next-line require-yield
      async *stream() {
        throw new TypeError('model is down')
      },
    }
    expect(await ask(failing)).toEqual({ content: '', error: 'model is down' })
    expect(await ask('' as never)).toMatchObject({
      content: '',
      error: /No model selected/,
    } as never)
  })
})
