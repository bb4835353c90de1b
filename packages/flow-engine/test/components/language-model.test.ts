import { describe, expect, test } from 'vitest'
import {
  chatOutput,
  languageModel,
  memory,
  parser,
  promptTemplate,
  structuredOutput,
} from '@x/flow-engine/components'
import { createData } from '../../src/graph/values/data.ts'
import { createDataFrame } from '../../src/graph/values/data-frame.ts'
import { createMessage } from '../../src/graph/values/message.ts'
import { createScriptedModel, startFakeOpenAi, testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

describe('LanguageModelComponent (CO-34, FE-51)', () => {
  const answering = () =>
    createScriptedModel([{ chunks: ['a', 'b'], usage: { inputTokens: 3, outputTokens: 4 } }])

  test('streams to a chat output: partial message, tokens, the whole text as its value', async () => {
    const models = answering()
    const { value, events } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi', stream: true },
      services: { models },
      sessionId: 's',
      chatOutput: true,
    })

    expect(value).toMatchObject({ text: 'ab', sender: 'Machine', senderName: 'AI' })
    expect(events.map(({ event }) => event)).toEqual(['add_message', 'token', 'token'])
    expect(models.requests[0]).toMatchObject({ stream: true, model: 'gpt-4o-mini' })
  })

  test('requests one plain answer without a chat output, and reports the tokens', async () => {
    const models = answering()
    const { value, events, status } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi', stream: true, system_message: 'Be brief.' },
      services: { models },
    })

    expect(value).toMatchObject({ text: 'ab', sender: null })
    expect(events).toEqual([])
    expect(models.requests[0]?.stream).toBe(false)
    expect(status).toEqual({
      tokens: { input: 3, output: 4, total: 7, stop_reason: 'stop', response: 'ab' },
    })
  })

  test('a truncated answer withdraws its message', async () => {
    const models = createScriptedModel([
      { chunks: ['a', 'b'], fail: new Error('broke off'), failAfterChunks: 1 },
    ])
    const events: string[] = []
    const building = testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi', stream: true },
      services: { models },
      sessionId: 's',
      chatOutput: true,
      onEvent: ({ event }) => events.push(event),
    })

    await expect(building).rejects.toThrow('broke off')
    expect(events).toEqual(['add_message', 'token', 'remove_message'])
  })

  test('the host can set the address of OpenAI', async () => {
    const server = await startFakeOpenAi({ script: ['from loopback'] })
    try {
      const { value } = await testComponent(languageModel, {
        output: 'text_output',
        inputs: { input_value: 'hi', api_key: 'sk-test' },
        services: { environment: { OPENAI_BASE_URL: server.url } },
      })
      expect(value).toMatchObject({ text: 'from loopback' })
    } finally {
      await server.close()
    }
  })

  test('CO-34: each provider is requested at its own address', async () => {
    const asked = async (inputs: object) => {
      const { fetch, requests } = scriptedFetch(
        jsonAnswer({ choices: [{ message: { content: 'ok' } }] }),
      )
      await testComponent(languageModel, {
        output: 'text_output',
        inputs: { input_value: 'hi', api_key: 'k', model_name: 'm', ...inputs },
        services: { fetch },
      })
      return requests[0]?.url
    }
    expect(await asked({})).toBe('https://api.openai.com/v1/chat/completions')
    expect(await asked({ provider: 'Google' })).toBe(
      'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    )
    for (const ollama_base_url of ['http://host.test', 'http://host.test/v1/']) {
      expect(await asked({ provider: 'Ollama', ollama_base_url })).toBe(
        'http://host.test/v1/chat/completions',
      )
    }
  })

  test('CO-34: without stream one plain answer is requested, also before a chat output', async () => {
    const models = answering()
    const { events } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi' },
      services: { models },
      sessionId: 's',
      chatOutput: true,
    })
    expect(models.requests[0]?.stream).toBe(false)
    expect(events).toEqual([])
  })

  test('CO-34: a streamed answer also reports its tokens and its finish reason', async () => {
    const { status } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'hi', stream: true },
      services: {
        models: {
          async *stream() {
            yield { text: 'a' }
            yield { text: 'b' }
            yield { finish: 'length' as const, usage: { inputTokens: 3, outputTokens: 4 } }
          },
        },
      },
      sessionId: 's',
      chatOutput: true,
    })
    expect(status).toEqual({
      tokens: { input: 3, output: 4, total: 7, stop_reason: 'length', response: 'ab' },
    })
  })

  test('missing provider settings are named in the error', async () => {
    const ask = (inputs: object) =>
      testComponent(languageModel, {
        output: 'text_output',
        inputs: { input_value: 'x', ...inputs },
      })
    await expect(ask({ provider: 'IBM watsonx.ai', api_key: 'k' })).rejects.toThrow(
      'IBM watsonx Project ID is required',
    )
    await expect(ask({ provider: 'Ollama', model_name: '' })).rejects.toThrow(
      'Model name is required when using Ollama provider',
    )
    await expect(ask({ provider: 'Acme' })).rejects.toThrow('Unknown provider: Acme')
    for (const provider of ['OpenAI', 'Anthropic', 'Google']) {
      await expect(ask({ provider })).rejects.toThrow(
        `${provider} API key is required when using ${provider} provider`,
      )
    }
    const ibm = { provider: 'IBM watsonx.ai', project_id: 'p' }
    await expect(ask(ibm)).rejects.toThrow(
      'IBM API key is required when using IBM watsonx.ai provider',
    )
    await expect(ask({ ...ibm, api_key: 'k', base_url_ibm_watsonx: '' })).rejects.toThrow(
      'IBM watsonx API Endpoint is required',
    )
    await expect(ask({ provider: 'Ollama', ollama_base_url: '' })).rejects.toThrow(
      'Ollama API URL is required when using Ollama provider',
    )
  })
})

describe('StructuredOutput (CO-37)', () => {
  const schema = [
    { name: 'n', type: 'int', multiple: 'False' },
    { name: 'tags', type: 'str', multiple: 'yes' },
  ]
  const calls = (objects: unknown) => ({
    toolCalls: [{ name: 'OutputModel', args: { objects } }],
  })

  async function extract(script: Parameters<typeof createScriptedModel>[0], inputs: object = {}) {
    const model = createScriptedModel(script)
    const { outputs } = await testComponent(structuredOutput, {
      inputs: { llm: model, input_value: 'text', output_schema: schema, ...inputs },
    })
    return { outputs, model }
  }

  test('values are converted; both outputs share one answer', async () => {
    const { outputs, model } = await extract([calls([{ n: '3', tags: ['a'], other: 1 }])])

    expect(outputs.structured_output).toMatchObject({ data: { n: 3, tags: ['a'] } })
    expect(outputs.dataframe_output).toMatchObject({ rows: [{ n: 3, tags: ['a'] }] })
    expect(model.requests).toHaveLength(1)
  })

  test('falls back to an answer by schema if the call is invalid', async () => {
    const { outputs, model } = await extract([
      calls([{ n: 'three', tags: [] }]),
      '{"objects": [{"n": 1, "tags": []}, {"n": 2, "tags": []}]}',
    ])

    expect(outputs.structured_output).toMatchObject({ data: { results: [{ n: 1 }, { n: 2 }] } })
    expect(model.requests[1]).toMatchObject({ responseFormat: { name: 'OutputModel' } })
  })

  test('fails without object, schema or model', async () => {
    await expect(extract([calls([])])).rejects.toThrow('No structured output returned')
    await expect(extract([], { output_schema: [] })).rejects.toThrow('cannot be empty')
    await expect(extract([], { llm: 'text' })).rejects.toThrow(
      'Language model does not support structured output.',
    )
  })
})

describe('Memory (CO-41)', () => {
  test('zero messages return none; the session of the run is the default', async () => {
    const asked: object[] = []
    const services = {
      messages: {
        add: async () => undefined,
        update: async () => undefined,
        remove: async () => undefined,
        list: async (query: object) => {
          asked.push(query)
          return []
        },
      },
    }
    const read = (inputs: object) =>
      testComponent(memory, {
        output: 'messages_text',
        inputs: { ...inputs },
        services,
        sessionId: 's',
      })

    expect((await read({ n_messages: 0 })).value).toMatchObject({ text: '' })
    expect(asked).toEqual([])
    await read({ sender_type: 'User', order: 'Descending', n_messages: 3 })
    expect(asked).toMatchObject([{ sessionId: 's', sender: 'User', order: 'descending', last: 3 }])
  })
})

describe('ChatOutput (CO-31)', () => {
  const sources = (type: string, model?: string) => ({
    input_value: [
      {
        vertexId: `${type}-1`,
        type,
        displayName: 'Source',
        output: 'o',
        ...(model === undefined ? {} : { model }),
      },
    ],
  })

  test('a message keeps its own values, and its source names the model', async () => {
    const { value } = await testComponent(chatOutput, {
      inputs: {
        input_value: createMessage({
          text: 'x',
          files: ['f'],
          contentBlocks: [{ title: 'Steps' }],
          properties: { icon: 'Bot', state: 'partial' },
        }),
      },
      sources: sources('Agent', 'gpt-x'),
    })

    expect(value).toMatchObject({
      files: ['f'],
      contentBlocks: [{ title: 'Steps' }],
      properties: {
        icon: 'Bot',
        state: 'complete',
        source: { id: 'Agent-1', display_name: 'Source', source: 'gpt-x' },
      },
    })
  })

  test('a message of a chat input gets a new message as answer', async () => {
    const { value } = await testComponent(chatOutput, {
      inputs: { input_value: createMessage({ text: 'x', id: 'given', files: ['f'] }) },
      sources: sources('ChatInput'),
    })

    expect(value).toMatchObject({ text: 'x', files: [] })
    expect(value).not.toHaveProperty('id')
  })

  test('a list with an item that cannot be displayed is named in the error', async () => {
    const inputs = { input_value: ['a', 5] }
    await expect(testComponent(chatOutput, { inputs })).rejects.toThrow(
      "Expected Data or DataFrame or Message or str, got ['str', 'int']",
    )
  })
})

describe('Prompt Template and Parser (CO-33, CO-36)', () => {
  test('a prompt keeps the images of its variables and does not expand braces in values', async () => {
    const { value } = await testComponent(promptTemplate, {
      inputs: {
        template: 'Look: {m} {n:.1f}',
        m: createMessage({ text: '{n}', files: ['f/a.png'] }),
        n: 2,
      },
    })
    expect(value).toMatchObject({ text: 'Look: {n} 2.0', files: ['f/a.png'] })
  })

  test('a pattern reads nested keys, but not attributes', async () => {
    const parse = (pattern: string) =>
      testComponent(parser, {
        inputs: { pattern, input_data: createData({ a: { b: [1, 2] }, n: 1.005 }) },
      })
    expect((await parse('{a[b]} {a[b][1]} {n:.2f}')).value).toMatchObject({ text: '[1, 2] 2 1.00' })
    await expect(parse('{a.b}')).rejects.toThrow('attributes are not allowed')
    await expect(parse('{a[constructor]}')).rejects.toThrow('no key constructor')
  })

  test('a missing column of a table is an error', async () => {
    const inputs = { pattern: '{b}', input_data: createDataFrame([{ a: 1 }]) }
    await expect(testComponent(parser, { inputs })).rejects.toThrow("Column 'b'")
  })
})
