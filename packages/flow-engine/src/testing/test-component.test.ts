import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import type { ComponentContext } from '../components/context.ts'
import { defineComponent } from '../components/define.ts'
import { field } from '../components/field.ts'
import { output } from '../components/output.ts'
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
  test('FE-46: one output gives its value, several are found in outputs', async () => {
    const one = await testComponent(shout, { inputs: { text: 'ab', times: '2' }, output: 'result' })
    expect(isMessage(one.value) && one.value.text).toBe('ABAB')
    expect(one.status).toBe('loud')
    expect(one.logs).toEqual([{ name: 'Log 1', message: { text: 'ab' }, type: 'object' }])

    const all = await testComponent(shout, { inputs: { text: 'ab' } })
    expect(Object.keys(all.outputs)).toEqual(['result', 'length'])
    expect(all.outputs.length).toBe(2)
  })

  test('FE-46: an output is found by its method too', async () => {
    const { value } = await testComponent(shout, { inputs: { text: 'x' }, output: 'shout_it' })
    expect(isMessage(value) && value.text).toBe('X')
  })

  test('FE-46: a dynamic output is computed when it is asked for, by name or by method', async () => {
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

  test('FE-46: chatOutput says that the outputs lead to a chat output without a sender', async () => {
    const asks = defineComponent({
      type: 'Asks',
      inputs: {},
      outputs: { seen: output.any({ types: ['Data'], run: (_, ctx) => ctx.chatOutput ?? 'none' }) },
    })
    expect((await testComponent(asks)).value).toBe('none')
    expect((await testComponent(asks, { chatOutput: true })).value).toEqual({})
  })

  test('FE-46: rejects with what the component threw, unwrapped', async () => {
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

  test('FE-43: component_as_tool gives tools that call the component', async () => {
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

  test('FE-51: towards a chat output a stream is announced, sent in tokens and collected', async () => {
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
