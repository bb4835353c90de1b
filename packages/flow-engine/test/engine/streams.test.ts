import { describe, expect, test } from 'vitest'
import {
  createMessage,
  defineComponent,
  field,
  output,
  type Component,
  type FlowJson,
} from '@x/flow-engine'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { createMemoryServices } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { gated } from './gated.ts'
import { encoded, given, run, start } from './dependencies.ts'

const SECRET = 'sk-very-secret'
const services = { variables: { get: async () => SECRET } }

function saying(init: (key: string) => Parameters<typeof createMessage>[0]): Component {
  return defineComponent({
    type: 'Saying',
    displayName: 'Sayer',
    inputs: { key: field.secret({ loadFromDb: true }) },
    outputs: { out: output.message({ run: ({ key }) => createMessage(init(String(key))) }) },
  })
}

function shown(component: Component): FlowJson {
  const flow = flowBuilder()
  flow.add(component, { id: 'Saying-1', values: { key: 'KEY' } })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('Saying-1.out', 'ChatOutput-1.input_value').toJSON()
}

async function* pieces(...texts: readonly string[]) {
  yield* texts
}

describe('a streamed message (FE-51)', () => {
  test('FE-51, CO-34: it is announced as empty and partial, with sender Machine and its vertex as source', async () => {
    const component = saying(() => ({ text: pieces('a', '', 'b') }))
    const { events } = await run(shown(component), { more: [component], services })
    const [first, ...rest] = events.filter(({ event }) => event !== 'vertices_sorted')
    expect(first).toMatchObject({
      event: 'add_message',
      data: {
        text: '',
        sender: 'Machine',
        sender_name: 'AI',
        properties: {
          state: 'partial',
          source: { id: 'Saying-1', display_name: 'Sayer', source: 'Sayer' },
        },
      },
    })
    expect(rest.flatMap(({ event, data }) => (event === 'token' ? [data] : []))).toMatchObject([
      { chunk: 'a' },
      { chunk: 'b' },
    ])
  })

  test('FE-51: after a cancel in mid-stream the stored row has the text so far and stays partial', async () => {
    const component = saying(() => ({
      text: (async function* () {
        yield* ['some ', 'text']
        await new Promise(() => undefined)
      })(),
    }))
    const messages = given(createMemoryServices().messages)
    const started = start(shown(component), {
      more: [component],
      services: { ...services, messages },
    })
    let tokens = 0
    for await (const { event } of started)
      if (event === 'token' && (tokens += 1) === 2) started.cancel()
    await started.result
    const rows = await messages.list({})
    expect(rows).toMatchObject([{ text: 'some text', properties: { state: 'partial' } }])
  })

  test('FE-51: if it was complete before the cancel, the stored row has the whole text', async () => {
    const component = saying(() => ({ text: pieces('the ', 'whole') }))
    const gate = gated()
    const flow = flowBuilder()
    flow.add(component, { id: 'Saying-1', values: { key: 'KEY' } })
    flow.add(gate.component, { id: 'Gated-1' })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect('Saying-1.out', 'ChatOutput-1.input_value')
    flow.connect('Gated-1.out', 'ChatOutput-1.sender_name')
    const messages = given(createMemoryServices().messages)
    const started = start(flow.toJSON(), {
      more: [component, gate.component],
      services: { ...services, messages },
    })
    for await (const { event } of started) if (event === 'end_vertex') started.cancel()
    await started.result
    const rows = await messages.list({})
    expect(rows).toMatchObject([{ text: 'the whole', properties: { state: 'complete' } }])
  })

  test('FE-51, FE-65: a held-back end that turns out not to be a secret is still sent', async () => {
    const component = saying(() => ({ text: pieces('the key is sk-', 've', 'ry') }))
    const { events } = await run(shown(component), { more: [component], services })
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
    expect(tokens.join('')).toBe('the key is sk-very')
  })

  test('FE-65: a secret split over pieces is masked in the tokens and in the whole text', async () => {
    const component = saying((key) => ({ text: pieces('it is ', key.slice(0, 5), key.slice(5)) }))
    const { events } = await run(shown(component), { more: [component], services })
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
    expect(tokens.join('')).toBe('it is *****')
    expect(encoded(events)).not.toContain(SECRET)
  })
})

describe('message values that JSON cannot represent (FE-66)', () => {
  test('FE-66: properties and blocks are converted to JSON when they are sent', async () => {
    const odd = defineComponent({
      type: 'Odd',
      inputs: {},
      outputs: {
        out: output.message({
          async run(_inputs, ctx) {
            const circle: Record<string, unknown> = { big: 10n, not: Number.NaN }
            circle['self'] = circle
            const properties = { custom: circle }
            await ctx.sendMessage(createMessage({ text: 'x', properties, contentBlocks: [circle] }))
            return 'done'
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(odd, { id: 'Odd-1' })
    const { events, result } = await run(flow.toJSON(), { more: [odd] })
    const plain = { big: '10', not: null, self: '[Circular]' }
    const sent = events.find(({ event }) => event === 'add_message')
    expect(sent?.data).toMatchObject({ properties: { custom: plain }, content_blocks: [plain] })
    expect(result.status).toBe('succeeded')
    expect(encoded(events)).toContain('[Circular]')
  })
})
