import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import type { ComponentContext } from '../components/define/context.ts'
import { languageModel } from '../components/built-in/models-and-agents/language-model.ts'
import { defineComponent } from '../components/define/define.ts'
import { field } from '../components/define/field.ts'
import { output } from '../components/define/output.ts'
import { createMessage, isMessage } from '../graph/values/message.ts'
import { testComponent } from './test-component.ts'

const shout = defineComponent({
  type: 'Shout',
  inputs: {
    text: field.text({ required: true, toolMode: true }),
    times: field.int({ default: 1 }),
  },
  outputs: {
    result: output.message({
      method: 'shout_it',
      run: ({ text, times }, ctx) => {
        ctx.status('loud')
        ctx.log('', { text })
        return text.toUpperCase().repeat(times ?? 1)
      },
    }),
    length: output.any({ types: ['int'], run: ({ text }) => text.length }),
  },
})

async function* words() {
  yield 'one '
  yield ''
  yield 'two'
}

const talk = defineComponent({
  type: 'Talk',
  inputs: {},
  outputs: { answer: output.message({ run: () => createMessage(words()) }) },
})

describe('testComponent', () => {
  test('FE-46: a single output is returned as value, several in outputs', async () => {
    const one = await testComponent(shout, { inputs: { text: 'ab', times: '2' }, output: 'result' })
    expect(isMessage(one.value) && one.value.text).toBe('ABAB')
    expect(one.status).toBe('loud')
    expect(one.logs).toEqual([{ name: 'Log 1', message: { text: 'ab' }, type: 'object' }])

    const all = await testComponent(shout, { inputs: { text: 'ab' } })
    expect(Object.keys(all.outputs)).toEqual(['result', 'length'])
    expect(all.outputs.length).toBe(2)
    expect(all.value).toBeUndefined()
  })

  test('FE-46: an output is also found by its method', async () => {
    const { value } = await testComponent(shout, { inputs: { text: 'x' }, output: 'shout_it' })
    expect(isMessage(value) && value.text).toBe('X')
  })

  test('FE-46: a dynamic output is computed on request, by name or by method', async () => {
    const run = (_: unknown, ctx: ComponentContext) => [...ctx.connected].join()
    const parts = defineComponent({
      type: 'Parts',
      inputs: {},
      outputs: {
        fixed: output.any({ types: ['Text'], run }),
        rest: output.any({ types: ['Text'], method: 'the_rest', dynamic: true, run }),
      },
    })
    expect((await testComponent(parts)).outputs).toEqual({ fixed: 'fixed' })
    expect((await testComponent(parts, { output: ['fixed', 'rest'] })).outputs).toEqual({
      fixed: 'fixed,rest',
      rest: 'fixed,rest',
    })
    expect((await testComponent(parts, { output: 'the_rest' })).value).toBe('rest')
  })

  test('FE-46: chatOutput marks the outputs as leading to a chat output without a sender', async () => {
    const asks = defineComponent({
      type: 'Asks',
      inputs: {},
      outputs: { seen: output.any({ types: ['Data'], run: (_, ctx) => ctx.chatOutput ?? 'none' }) },
    })
    expect((await testComponent(asks)).value).toBe('none')
    expect((await testComponent(asks, { chatOutput: true })).value).toEqual({})
  })

  test('FE-46: a name that is neither output nor method is refused', async () => {
    await expect(testComponent(shout, { output: 'whisper' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Shout has no output whisper',
    })
  })

  test('FE-46: the component gets the given run, by default a run without session', async () => {
    const seen: ComponentContext[] = []
    const looks = defineComponent({
      type: 'Looks',
      inputs: {},
      outputs: { out: output.any({ types: ['Data'], run: (_, ctx) => void seen.push(ctx) }) },
    })
    const { signal } = new AbortController()
    const facts = { sessionId: 's', flowId: 'f', userId: 'u', vertexId: 'Looks-7', build: 3 }
    await testComponent(looks, { ...facts, signal })
    await testComponent(looks)
    expect(seen[0]?.signal).toBe(signal)
    expect(seen).toMatchObject([
      facts,
      { sessionId: '', vertexId: 'Looks-00001', userId: undefined, build: 1 },
    ])
  })

  test('FE-46: a string for a file field is a path of services.files; other names are further fields', async () => {
    const reads = defineComponent({
      type: 'Reads',
      inputs: { source: field.file({}), needed: field.text({ required: true }) },
      outputs: {
        out: output.message({
          run: async ({ source: [first], ...rest }) => {
            const bytes = await first?.read()
            return `${new TextDecoder().decode(bytes)} ${String(Reflect.get(rest, 'mood'))}`
          },
        }),
      },
    })
    const { value } = await testComponent(reads, {
      inputs: { source: 'f/a.txt', mood: 'glad' },
      services: {
        files: {
          read: async (path) => new TextEncoder().encode(`text of ${path}`),
          write: async (path) => path,
          list: async () => [],
        },
      },
    })
    expect(isMessage(value) && value.text).toBe('text of f/a.txt glad')
  })

  test('FE-46: without models the built-in clients request with services.fetch and wait with runtime.sleep', async () => {
    const runtime = createTestRuntime()
    const answers = [
      new Response('', { status: 429, headers: { 'retry-after': '60' } }),
      Response.json({ choices: [{ message: { content: 'there' } }] }),
    ]
    const asked: number[] = []
    const answer = testComponent(languageModel, {
      output: 'text_output',
      inputs: { input_value: 'Who?', api_key: 'sk-test' },
      runtime,
      services: {
        async fetch() {
          asked.push(runtime.now().getTime())
          return answers.shift() ?? Response.error()
        },
      },
    })
    await runtime.advance(60_000)
    const { value } = await answer
    expect(isMessage(value) && value.text).toBe('there')
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(60_000)
  })

  test('FE-46: a component cannot suspend or run another flow', async () => {
    const asks = (work: (ctx: ComponentContext) => Promise<unknown>) =>
      testComponent(
        defineComponent({
          type: 'Asks',
          inputs: {},
          outputs: { out: output.any({ types: ['Data'], run: (_, ctx) => work(ctx) }) },
        }),
      )
    await expect(asks((ctx) => ctx.suspend('Go on?'))).rejects.toMatchObject({
      code: 'not_resumable',
    })
    await expect(asks((ctx) => ctx.runFlow({ nodes: [], edges: [] }))).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('FE-46: rejects with the error of the component, unwrapped', async () => {
    const thrown = new RangeError('too loud')
    const broken = defineComponent({
      type: 'Broken',
      inputs: {},
      outputs: {
        out: output.any({
          types: ['Data'],
          run: () => {
            throw thrown
          },
        }),
      },
    })
    await expect(testComponent(broken)).rejects.toBe(thrown)
  })

  test('FE-43: component_as_tool returns tools that call the component', async () => {
    const { value } = await testComponent(shout, {
      inputs: { times: 2 },
      output: 'component_as_tool',
      vertexId: 'Shout-7',
    })
    const [tool] = value as { name: string; vertexId: string; call: CallableFunction }[]
    expect(tool).toMatchObject({ name: 'shout_it', vertexId: 'Shout-7' })
    const { signal } = new AbortController()
    expect(await tool?.call({ text: 'hey' }, { signal })).toBe('HEYHEY')
  })

  test('FE-51: before a chat output a stream is announced, sent in tokens and collected', async () => {
    const kinds: string[] = []
    const { value, events, messages } = await testComponent(talk, {
      output: 'answer',
      sessionId: 's',
      chatOutput: true,
      runtime: createTestRuntime(),
      onEvent: (event) => kinds.push(event.event),
    })
    expect(kinds).toEqual(['add_message', 'token', 'token'])
    expect(events.map((event) => event.data)).toMatchObject([
      { text: '', session_id: 's', properties: { state: 'partial' } },
      { chunk: 'one ' },
      { chunk: 'two' },
    ])
    expect(isMessage(value) && value.text).toBe('one two')
    expect(messages).toHaveLength(1)
  })

  test('FE-51: without a session the text is collected without events', async () => {
    const { value, events } = await testComponent(talk, { output: 'answer', chatOutput: true })
    expect(isMessage(value) && value.text).toBe('one two')
    expect(events).toEqual([])
  })
})
