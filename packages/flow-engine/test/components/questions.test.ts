import { describe, expect, test } from 'vitest'
import { agent, chatOutput, languageModel, textInput } from '@x/flow-engine/components'
import { createMessage } from '../../src/graph/values/message.ts'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import type { Tool } from '../../src/models/chat-model.ts'
import { createScriptedModel, flowBuilder, testComponent } from '@x/flow-engine/testing'

const files = {
  read: () => Promise.resolve(new Uint8Array([1, 2])),
  write: (path: string) => Promise.resolve(path),
  list: () => Promise.resolve([]),
}

describe('requests of a language model (CO-34)', () => {
  const asked = async (inputs: Record<string, unknown>) => {
    const models = createScriptedModel(['fine'])
    await testComponent(languageModel, {
      output: 'text_output',
      inputs,
      services: { models, files },
    })
    return models.requests[0]?.messages
  }

  test('CO-34: the system message comes first; a message of the machine is sent as assistant', async () => {
    const input_value = createMessage({ text: 'I said', sender: 'Machine' })
    expect(await asked({ input_value, system_message: 'Be brief.' })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'I said' },
    ])
  })

  test('CO-34: an empty message or a system message alone is sent, no input at all is refused', async () => {
    expect(await asked({ input_value: createMessage('') })).toEqual([{ role: 'user', content: '' }])
    expect(await asked({ system_message: 'S' })).toEqual([{ role: 'system', content: 'S' }])
    await expect(asked({})).rejects.toThrow('The message you want to send to the model is empty.')
  })

  test('CO-34: the text comes before the images', async () => {
    const input_value = createMessage({ text: 'What?', files: ['f/a.png'] })
    expect(await asked({ input_value })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image', url: 'data:image/png;base64,AQI=' },
        ],
      },
    ])
  })

  test('CO-34: a streamed answer has the sender name AI until the chat output renames it', async () => {
    const flow = flowBuilder()
    flow.add(languageModel, { id: 'Model-1', values: { input_value: 'hi', stream: true } })
    flow.add(chatOutput, { id: 'ChatOutput-1', values: { sender_name: 'Bob' } })
    flow.connect('Model-1.text_output', 'ChatOutput-1.input_value')
    const run = runFlow(flow.toJSON(), {
      components: createRegistry([languageModel, chatOutput]),
      sessionId: 's',
      services: { ...createMemoryServices(), models: createScriptedModel(['fine']) },
    })
    const names: unknown[] = []
    for await (const { event, data } of run) {
      if (event === 'add_message') names.push(Reflect.get(data, 'sender_name'))
    }
    expect(names).toEqual(['AI', 'Bob'])
  })

  test('CO-34: a streamed answer contains its icon and its source vertex', async () => {
    const { events } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi', stream: true, model_name: 'm-1' },
      services: { models: createScriptedModel(['fine']) },
      sessionId: 's',
      chatOutput: true,
      vertexId: 'LanguageModelComponent-1',
    })
    expect(events[0]).toMatchObject({
      event: 'add_message',
      data: {
        sender: 'Machine',
        sender_name: 'AI',
        properties: {
          icon: 'brain-circuit',
          state: 'partial',
          source: {
            id: 'LanguageModelComponent-1',
            display_name: 'Language Model',
            source: 'm-1',
          },
        },
      },
    })
  })

  test.each([
    [{ provider: 'OpenAI' }, 'OpenAI API key is required when using OpenAI provider'],
    [{ provider: 'Anthropic' }, 'Anthropic API key is required when using Anthropic provider'],
    [{ provider: 'Google' }, 'Google API key is required when using Google provider'],
    [{ provider: 'IBM watsonx.ai' }, 'IBM API key is required when using IBM watsonx.ai provider'],
    [
      { provider: 'IBM watsonx.ai', api_key: 'k', base_url_ibm_watsonx: '' },
      'IBM watsonx API Endpoint is required when using IBM watsonx.ai provider',
    ],
    [
      { provider: 'IBM watsonx.ai', api_key: 'k' },
      'IBM watsonx Project ID is required when using IBM watsonx.ai provider',
    ],
    [
      { provider: 'Ollama', ollama_base_url: '' },
      'Ollama API URL is required when using Ollama provider',
    ],
    [{ provider: 'Ollama', model_name: '' }, 'Model name is required when using Ollama provider'],
    [{ provider: 'Acme' }, 'Unknown provider: Acme'],
  ])('CO-34: %j', async (inputs, text) => {
    const building = testComponent(languageModel, { output: 'model_output', inputs })
    await expect(building).rejects.toThrow(text)
  })
})

describe('requests and messages of an Agent (CO-35)', () => {
  const ask = async (script: Parameters<typeof createScriptedModel>[0], inputs: object) => {
    const model = createScriptedModel(script)
    const result = await testComponent(agent, {
      output: 'response',
      sessionId: 's',
      chatOutput: true,
      services: { ...createMemoryServices(), models: model, files },
      inputs: { input_value: 'What?', ...inputs },
    })
    return { ...result, model }
  }

  test('CO-35: images come between the history and the text of the question', async () => {
    const services = createMemoryServices()
    const earlier = { sender: 'User', sessionId: 's', timestamp: new Date(0) }
    await services.messages?.add({
      ...(await testComponent(chatOutput, { inputs: { input_value: 'x' }, sessionId: 's' }))
        .messages[0],
      ...earlier,
      text: 'earlier',
    } as never)
    const model = createScriptedModel(['fine'])
    await testComponent(agent, {
      output: 'response',
      sessionId: 's',
      services: { ...services, models: model, files },
      inputs: {
        input_value: createMessage({ text: 'Now?', files: ['f/a.png'] }),
        system_prompt: '',
      },
    })
    expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual([
      'earlier',
      [{ type: 'image', url: 'data:image/png;base64,AQI=' }],
      'Now?',
    ])
  })

  test('CO-35: the date tool is added only on request; a blank input is accepted', async () => {
    const names = async (add_current_date_tool: boolean) =>
      (await ask(['x'], { add_current_date_tool })).model.requests[0]?.tools?.map(
        ({ name }) => name,
      )
    expect(await names(true)).toEqual(['get_current_date'])
    expect(await names(false)).toBeUndefined()
    const { model } = await ask(['x'], { input_value: ' ' })
    expect(model.requests[0]?.messages.at(-1)?.content).toBe('Continue the conversation.')
  })

  test('CO-35: a call of an unknown tool is a step named invalid_tool, and the model continues', async () => {
    const { value, model } = await ask([{ toolCalls: [{ name: 'fly', args: {} }] }, 'ok'], {})
    expect(value).toMatchObject({
      text: 'ok',
      contentBlocks: [
        {
          contents: [
            { header: { title: 'Input', icon: 'MessageSquare' } },
            {
              type: 'tool_use',
              name: 'invalid_tool',
              output: 'fly is not a valid tool, try one of [get_current_date].',
              header: { title: 'Executed **invalid_tool**', icon: 'Hammer' },
            },
            { header: { title: 'Output' } },
          ],
        },
      ],
    })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'fly is not a valid tool, try one of [get_current_date].',
    })
  })

  test('CO-35: results are sent to the model as JSON with a blank after commas and colons', async () => {
    const tool: Tool = {
      name: 'facts',
      description: '',
      parameters: { type: 'object', properties: {} },
      call: () => Promise.resolve({ a: [1, 'x\n, y'], b: {}, c: { d: null } }),
    }
    const { model } = await ask([{ toolCalls: [{ name: 'facts', args: {} }] }, 'ok'], {
      tools: [tool],
    })
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      '{"a": [1, "x\\n, y"], "b": {}, "c": {"d": null}}',
    )
  })

  test('CO-35: its message is partial until the end and stored only at the beginning and the end', async () => {
    const states: unknown[] = []
    const stored: unknown[] = []
    const services = createMemoryServices()
    const { messages } = services
    const model = createScriptedModel([{ toolCalls: [{ name: 'fly', args: {} }] }, 'ok'])
    await testComponent(agent, {
      output: 'response',
      sessionId: 's',
      chatOutput: true,
      services: {
        models: model,
        messages: {
          ...messages,
          list: (query) => messages?.list(query) ?? Promise.resolve([]),
          remove: () => Promise.resolve(),
          add: (record) => Promise.resolve(void stored.push(['add', record.properties])),
          update: (record) => Promise.resolve(void stored.push(['update', record.properties])),
        },
      },
      inputs: { input_value: 'What?' },
      onEvent({ event, data }) {
        if (event === 'add_message') states.push(Reflect.get(data, 'properties'))
      },
    })
    expect(states).toMatchObject([
      ...Array.from({ length: 4 }, () => ({ state: 'partial', icon: 'Bot' })),
      { state: 'complete' },
    ])
    expect(stored).toMatchObject([
      ['add', { state: 'partial' }],
      ['update', { state: 'complete' }],
    ])
  })

  test('CO-35: its message has the sender name of the chat output of the flow', async () => {
    const flow = flowBuilder()
    const input = flow.add('TextInput', { values: { input_value: 'What?' } })
    const bot = flow.add('Agent')
    const shown = flow.add('ChatOutput', { values: { sender_name: 'Bob' } })
    flow.connect(`${input}.text`, `${bot}.input_value`)
    flow.connect(`${bot}.response`, `${shown}.input_value`)
    const run = runFlow(flow.toJSON(), {
      components: createRegistry([agent, chatOutput, textInput]),
      sessionId: 's',
      services: { ...createMemoryServices(), models: createScriptedModel(['fine']) },
    })
    const names: unknown[] = []
    for await (const { event, data } of run) {
      if (event === 'add_message') names.push(Reflect.get(data, 'sender_name'))
    }
    expect(new Set(names)).toEqual(new Set(['Bob']))
  })

  test('CO-35: a missing connected model is reported', async () => {
    const agent_llm = 'connect_other_models'
    await expect(ask(['x'], { agent_llm })).rejects.toThrow('No language model selected')
  })
})
