import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { agent, calculator, chatInput } from '@x/flow-engine/components'
import type { ComponentServices, ModelSpec } from '../../src/components/define/services.ts'
import { createMessage, isMessage } from '../../src/graph/values/message.ts'
import type { Tool } from '../../src/models/chat-model.ts'
import {
  createScriptedModel,
  testComponent,
  type ScriptedModel,
  type ScriptedReply,
  type TestComponentOptions,
} from '@x/flow-engine/testing'

const call = (name: string, args: unknown, id?: string) => ({
  name,
  args,
  ...(id === undefined ? {} : { id }),
})

async function ask(
  script: ScriptedReply[],
  options: TestComponentOptions & { model?: ScriptedModel } = {},
) {
  const { model = createScriptedModel(script), inputs, services, ...rest } = options
  const result = await testComponent(agent, {
    output: 'response',
    chatOutput: true,
    sessionId: 's',
    services: { models: model, ...services },
    inputs: { input_value: 'What?', add_current_date_tool: false, ...inputs },
    ...rest,
  })
  const text = isMessage(result.value) ? result.value.text : undefined
  return { ...result, text, model }
}

async function calculatorTools(services: ComponentServices = {}): Promise<Tool[]> {
  const { value } = await testComponent(calculator, { output: 'component_as_tool', services })
  return value as Tool[]
}

function steps(value: unknown): unknown[] {
  const blocks = isMessage(value) ? (value.contentBlocks as { contents: unknown[] }[]) : []
  return blocks.flatMap(({ contents }) => contents)
}

describe('Agent (CO-35, FE-52)', () => {
  test('calls of one answer are announced in order, run in parallel and answered in order', async () => {
    const [tool] = await calculatorTools()
    const order: string[] = []
    const wait = new Map<string, () => void>()
    const slow: Tool = {
      name: 'slow',
      description: '',
      parameters: { type: 'object', properties: {} },
      async call() {
        order.push('slow starts')
        await new Promise<void>((resolve) => wait.set('slow', resolve))
        order.push('slow ends')
        return { late: true }
      },
    }
    const fast: Tool = {
      ...slow,
      name: 'fast',
      async call() {
        order.push('fast starts')
        wait.get('slow')?.()
        return 'text'
      },
    }
    const { model, text } = await ask(
      [
        {
          toolCalls: [
            call('slow', {}),
            call('fast', {}),
            call('evaluate_expression', { expression: '6*7' }),
          ],
        },
        'done',
      ],
      { inputs: { tools: [slow, fast, tool] } },
    )

    expect(text).toBe('done')
    expect(order).toEqual(['slow starts', 'fast starts', 'slow ends'])
    expect(model.requests[1]?.messages.slice(-3)).toMatchObject([
      { role: 'tool', content: '{"late": true}' },
      { role: 'tool', content: 'text' },
      { role: 'tool', content: '{"result": "42"}' },
    ])
  })

  test('a call sends its events in order: announced, started, ended, finished step', async () => {
    const { events } = await ask(
      [
        { toolCalls: [call('evaluate_expression', { expression: '1+1' })] },
        { chunks: ['t', ' ', 'wo'] },
      ],
      { inputs: { tools: await calculatorTools() } },
    )

    expect(events.map(({ event }) => event)).toEqual([
      'add_message',
      'add_message',
      'add_message',
      'build_start',
      'build_end',
      'add_message',
      'token',
      'token',
      'add_message',
    ])
  })

  test('one row is stored for the answer and is complete at the end', async () => {
    const { messages } = await ask(['yes'])

    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({
      text: 'yes',
      sender: 'Machine',
      senderName: 'Agent',
      properties: { icon: 'Bot', state: 'complete' },
    })
  })

  test('nothing is sent or stored without a chat output', async () => {
    const { events, messages, text } = await ask(['yes'], { chatOutput: false })

    expect([events, messages]).toEqual([[], []])
    expect(text).toBe('yes')
  })

  test('invalid arguments are reported to the model', async () => {
    const { model, value } = await ask(
      [
        { toolCalls: [call('evaluate_expression', '{"expression": ')] },
        { toolCalls: [call('evaluate_expression', { expression: [1] })] },
        'ok',
      ],
      { inputs: { tools: await calculatorTools() } },
    )

    expect(model.requests[1]?.messages.at(-1)?.content).toContain('must be a JSON object')
    expect(model.requests[2]?.messages.at(-1)?.content).toContain(
      'expression must be of type string',
    )
    expect(steps(value)).toMatchObject([
      {},
      { header: { title: 'Error using **evaluate_expression**' }, output: null },
      { header: { title: 'Error using **evaluate_expression**' } },
      { text: 'ok' },
    ])
  })

  test('without handle_parsing_errors invalid arguments fail the agent and withdraw its message', async () => {
    const events: string[] = []
    const answer = ask([{ toolCalls: [call('evaluate_expression', 'no json')] }], {
      inputs: { tools: await calculatorTools(), handle_parsing_errors: false },
      onEvent: ({ event }) => events.push(event),
    })

    await expect(answer).rejects.toThrow('must be a JSON object')
    expect(events.at(-1)).toBe('remove_message')
  })

  test('stops after max_iterations answers, without an Output step', async () => {
    const calling = { toolCalls: [call('evaluate_expression', { expression: '1' })] }
    const { text, value, model } = await ask([calling, calling, 'never'], {
      inputs: { tools: await calculatorTools(), max_iterations: 2 },
    })

    expect(text).toBe('Agent stopped due to max iterations.')
    expect(model.requests).toHaveLength(2)
    expect(steps(value)).toHaveLength(3)
  })

  test('an invalid tool name is refused', async () => {
    const tool: Tool = {
      name: 'my tool',
      description: '',
      parameters: {},
      call: async () => '',
    }
    await expect(ask(['x'], { inputs: { tools: [tool] } })).rejects.toThrow(
      "Invalid tool name 'my tool': must only contain letters, numbers, underscores, dashes, and cannot contain spaces.",
    )
  })

  test('files of the question are sent as user messages of their own', async () => {
    const files = new Map([
      ['f/a.png', new Uint8Array([1, 2])],
      ['f/b.txt', new TextEncoder().encode('a note')],
    ])
    const { model } = await ask(['a picture'], {
      services: {
        files: {
          read: async (path) => files.get(path) ?? null,
          write: async (path) => path,
          list: async () => [],
        },
      },
      inputs: { input_value: createMessage({ text: '', files: ['f/a.png', 'f/b.txt'] }) },
    })

    expect(model.requests[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: [{ type: 'image', url: 'data:image/png;base64,AQI=' }] },
      { role: 'user', content: [{ type: 'text', text: 'File b.txt:\n\na note' }] },
      { role: 'user', content: 'Process the provided files.' },
    ])
  })

  test('the date tool uses the clock of the runtime', async () => {
    const runtime = createTestRuntime({ start: new Date('2030-05-01T10:00:00Z') })
    const { model } = await ask(
      [{ toolCalls: [call('get_current_date', { timezone: 'Europe/Prague' })] }, 'ok'],
      { inputs: { add_current_date_tool: true }, runtime },
    )

    expect(model.requests[1]?.messages.at(-1)?.content).toContain('2030-05-01 12:00:00')
  })

  test('an agent can be a tool of another agent, with its own messages muted', async () => {
    const inner = createScriptedModel(['inner answer'])
    const { value: tools } = await testComponent(agent, {
      output: 'component_as_tool',
      services: { models: inner },
      inputs: { add_current_date_tool: false },
    })
    const { model, messages } = await ask(
      [{ toolCalls: [call('Call_Agent', { input_value: 'sub question' })] }, 'outer answer'],
      { inputs: { tools } },
    )

    expect(inner.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'sub question' })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: 'inner answer' })
    expect(messages).toHaveLength(1)
  })

  test('a connected model takes precedence over the provider fields', async () => {
    const connected = createScriptedModel(['from the edge'])
    const { text } = await ask([], { inputs: { agent_llm: connected } })

    expect(text).toBe('from the edge')
  })

  test('providers that are not built in are refused, unless the host provides models', async () => {
    const inputs = { input_value: 'x', agent_llm: 'Groq' }
    await expect(testComponent(agent, { output: 'response', inputs })).rejects.toThrow(
      'Failed to initialize language model: Invalid model provider: Groq',
    )
    expect((await ask(['hosted'], { inputs })).text).toBe('hosted')
  })

  test('CO-35: a key among the further settings of the model is not sent', async () => {
    const specs: ModelSpec[] = []
    await testComponent(agent, {
      output: 'response',
      services: {
        models: {
          chatModel: (spec) => (specs.push(spec), createScriptedModel(['yes'])),
          embedder: () => Promise.reject(new Error('not asked for')),
        },
      },
      inputs: {
        input_value: 'x',
        api_key: 'sk-own',
        model_kwargs: { api_key: 'sk-other', top_p: 0.5 },
      },
    })

    expect(specs).toMatchObject([{ apiKey: 'sk-own', options: { body: { top_p: 0.5 } } }])
    expect(JSON.stringify(specs)).not.toContain('sk-other')
  })

  test('CO-35: the fields of the provider are passed to its model', async () => {
    const specs: ModelSpec[] = []
    const asked = async (inputs: object) => {
      const model = createScriptedModel(['yes'])
      await testComponent(agent, {
        output: 'response',
        services: {
          models: {
            chatModel: (spec) => (specs.push(spec), model),
            embedder: () => Promise.reject(new Error('not asked for')),
          },
        },
        inputs: { input_value: 'x', model_name: 'm', temperature: 0.5, ...inputs },
      })
      return model.requests[0]
    }
    const settings = { seed: 7, max_tokens: 9, max_retries: 4, timeout: 3 }
    const urls = { openai_api_base: 'http://openai.test', base_url: 'http://other.test' }
    expect(await asked({ ...settings, ...urls })).toMatchObject({
      model: 'm',
      temperature: 0.5,
      seed: 7,
      maxTokens: 9,
    })
    const other = { agent_llm: 'Ollama', max_output_tokens: 8, seed: 7, ...urls }
    const request = await asked(other)
    expect(request).toMatchObject({ maxTokens: 8 })
    expect(request).not.toHaveProperty('seed')
    expect(specs).toMatchObject([
      {
        provider: 'OpenAI',
        model: 'm',
        baseUrl: 'http://openai.test',
        options: { maxRetries: 4, timeoutMs: 3000 },
      },
      { provider: 'Ollama', baseUrl: 'http://other.test' },
    ])
  })

  test('CO-35: a failing tool reports the reason to the model, and the agent continues', async () => {
    const runtime = createTestRuntime()
    const tool: Tool = {
      name: 'break',
      description: '',
      parameters: { type: 'object', properties: {} },
      async call() {
        await runtime.advance(5)
        throw new RangeError('broke off')
      },
    }
    const { model, value, status } = await ask([{ toolCalls: [call('break', {})] }, 'done'], {
      inputs: { tools: [tool], system_prompt: '  ' },
      runtime,
    })

    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user'])
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('broke off')
    expect(steps(value)[1]).toMatchObject({
      error: 'broke off',
      header: { title: 'Error using **break**' },
      duration: 5,
    })
    expect(status).toBe('done')
  })

  test('a cancelled run aborts the tool and ends the agent within a turn', async () => {
    const controller = new AbortController()
    let reached: unknown
    const hanging: Tool = {
      name: 'hang',
      description: '',
      parameters: { type: 'object', properties: {} },
      call: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reached = signal.reason
            reject(new Error('stopped'))
          })
          controller.abort(new Error('enough'))
        }),
    }
    const answer = ask([{ toolCalls: [call('hang', {})] }, 'never'], {
      inputs: { tools: [hanging] },
      signal: controller.signal,
    })

    await expect(answer).rejects.toThrow()
    expect(reached).toBeInstanceOf(Error)
  })

  test('the history contains neither the question itself nor blank messages', async () => {
    const services: ComponentServices = {}
    const rows = (
      await testComponent(chatInput, {
        inputs: { input_value: 'earlier' },
        sessionId: 's',
        services,
      })
    ).messages
    const { model } = await ask(['ok'], {
      services: {
        messages: {
          add: async () => undefined,
          update: async () => undefined,
          remove: async () => undefined,
          list: async () => [
            ...rows,
            ...rows.map((row) => ({ ...row, id: 'blank', text: ' ' })),
            ...rows.map((row) => ({ ...row, id: 'now', text: 'What?' })),
          ],
        },
      },
      inputs: { input_value: createMessage({ text: 'What?', id: 'now' }) },
    })

    expect(model.requests[0]?.messages.map(({ content }) => content).slice(1)).toEqual([
      'earlier',
      'What?',
    ])
  })
})
