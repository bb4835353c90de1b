import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  createMessage,
  createRegistry,
  createResultCache,
  defineComponent,
  field,
  formatRunResponse,
  output,
  runFlow,
  type Component,
  type FlowJson,
  type ResultCache,
} from '@x/flow-engine'
import { createRunMessages } from '../../src/graph/messages/memory-messages.ts'
import { startRun } from '../../src/graph/run/run.ts'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { encoded, join, library, run } from './dependencies.ts'

const SECRET = 'sk-very-secret'

/** Holds a key as a variable and one as a password; its outputs say what a test wants said. */
function keyed(
  say: (key: string, ctx: Parameters<Component['outputs'][string]['run']>[1]) => unknown,
): Component {
  return defineComponent({
    type: 'Keyed',
    inputs: { key: field.secret({ loadFromDb: true }), name: field.text() },
    outputs: {
      out: output.any({ types: ['Message', 'Data'], run: ({ key }, ctx) => say(String(key), ctx) }),
    },
  })
}

function alone(component: Component, values: Record<string, unknown> = {}): FlowJson {
  const flow = flowBuilder()
  flow.add(component, { id: 'Keyed-1', values: { key: 'KEY', ...values } })
  return flow.toJSON()
}

const services = { variables: { get: async () => SECRET } }

describe('secrets (FE-65)', () => {
  test('FE-65: a run that is printed or written as JSON shows its id alone', async () => {
    const leaky = keyed((key) => key)
    const options = { components: createRegistry([leaky]), variables: { KEY: SECRET } }
    const started = runFlow(alone(leaky), options)
    await started.result
    expect(inspect(started)).toBe(`FlowRun ${started.id}`)
    expect(JSON.stringify({ started })).toBe(JSON.stringify({ started: { id: started.id } }))
  })

  test('FE-65: a resolved variable is masked in outputs, logs, keys and lists of end_vertex and of the answer', async () => {
    const leaky = keyed((key, ctx) => {
      ctx.log('tried', [{ [`with ${key}`]: key }])
      return { deep: [{ [key]: `Bearer ${key}!` }], plain: 'kept' }
    })
    const { events, result } = await run(alone(leaky), {
      more: [leaky],
      services,
      outputType: 'debug',
    })
    const end = events.find(({ event }) => event === 'end_vertex')
    expect(end?.data).toMatchObject({
      build_data: {
        data: {
          outputs: { out: { message: { deep: [{ '*****': 'Bearer *****!' }], plain: 'kept' } } },
          logs: { out: [{ name: 'tried', message: [{ 'with *****': '*****' }] }] },
        },
      },
    })
    expect(encoded(events)).not.toContain(SECRET)
    expect(JSON.stringify(formatRunResponse(result))).not.toContain(SECRET)
  })

  test('FE-65: a variable that is text is masked only if a secret field loads it', async () => {
    const said = defineComponent({
      type: 'Said',
      inputs: {
        key: field.secret({ loadFromDb: true }),
        word: field.text({ loadFromDb: true }),
      },
      outputs: {
        out: output.any({ types: ['Data'], run: ({ key, word }) => ({ key, word }) }),
      },
    })
    const variables = { get: async (name: string) => `${name} value`, isText: async () => true }
    const { events } = await run(alone(said, { key: 'first', word: 'second' }), {
      more: [said],
      services: { variables },
    })
    expect(events.find(({ event }) => event === 'end_vertex')?.data).toMatchObject({
      build_data: {
        data: { outputs: { out: { message: { key: '*****', word: 'second value' } } } },
      },
    })
  })

  test('FE-65: a value of four characters is masked, and one contained in another leaves no remainder', async () => {
    const values = new Map([
      ['SHORT', 'abcd'],
      ['LONG', 'abcdefgh'],
    ])
    const two = defineComponent({
      type: 'Two',
      inputs: {
        short: field.secret({ loadFromDb: true }),
        long: field.secret({ loadFromDb: true }),
      },
      outputs: { out: output.message({ run: ({ short, long }) => `${short}, ${long}, abc` }) },
    })
    const flow = flowBuilder()
    flow.add(two, { id: 'Two-1', values: { short: 'SHORT', long: 'LONG' } })
    const { events } = await run(flow.toJSON(), {
      more: [two],
      services: { variables: { get: async (name) => values.get(name) ?? null } },
    })
    expect(encoded(events)).toContain('"*****, *****, abc"')
  })

  test('FE-65: a password field of a component without secret handling is masked, a short value is not', async () => {
    const show = defineComponent({
      type: 'Show',
      inputs: { word: field.text(), short: field.text() },
      outputs: { out: output.message({ run: ({ word, short }) => `${word} ${short}` }) },
    })
    const flow = flowBuilder()
    flow.add(show, { id: 'Show-1', values: { word: 'pass-word', short: 'abc' } })
    const json = flow.toJSON()
    const template = json.data?.nodes?.[0]?.data.node.template
    Object.assign(template?.word ?? {}, { password: true })
    Object.assign(template?.short ?? {}, { password: true })
    const { events } = await run(json, { more: [show] })
    const text = encoded(events)
    expect(text).toContain('***** abc')
    expect(text).not.toContain('pass-word')
    const tweaked = await run(json, { more: [show], tweaks: { word: 'other-word' } })
    expect(encoded(tweaked.events)).toContain('***** abc')
  })

  test('FE-65: messages, their updates, content blocks and properties are masked in events, rows and results', async () => {
    const leaky = keyed(async (key, ctx) => {
      const sent = await ctx.sendMessage(
        createMessage({
          text: key,
          contentBlocks: [{ title: 'Step', contents: [{ type: 'text', text: key }] }],
          properties: { icon: key },
        }),
      )
      await ctx.updateMessage({ ...sent, text: `again ${key}` })
      return sent
    })
    const messages = createRunMessages()
    const { events, result } = await run(alone(leaky), {
      more: [leaky],
      services: { ...services, messages },
    })
    const texts = events.flatMap(({ event, data }) => (event === 'add_message' ? [data.text] : []))
    expect(texts).toEqual(['*****', 'again *****'])
    const rows = JSON.stringify(await messages.list({}))
    for (const shown of [encoded(events), rows, JSON.stringify(result.messages)]) {
      expect(shown).toContain('*****')
      expect(shown).not.toContain(SECRET)
    }
  })

  test('FE-65: the next vertex gets the real value, and its output is masked too', async () => {
    const source = keyed((key) => createMessage(key))
    const seen: string[] = []
    const reader = defineComponent({
      type: 'Reader',
      inputs: { text: field.text() },
      outputs: { out: output.message({ run: ({ text }) => (seen.push(text), `got ${text}`) }) },
    })
    const flow = flowBuilder()
    flow.add(source, { id: 'Keyed-1', values: { key: 'KEY' } })
    flow.add(reader, { id: 'Reader-1' })
    flow.connect('Keyed-1.out', 'Reader-1.text')
    const { events } = await run(flow.toJSON(), { more: [source, reader], services })
    expect(seen).toEqual([SECRET])
    expect(encoded(events)).toContain('got *****')
    expect(encoded(events)).not.toContain(SECRET)
  })

  test('FE-65: a result that contains a secret is never cached', async () => {
    const inner = createResultCache()
    const kept: string[] = []
    const cache: ResultCache = {
      get: (key) => inner.get(key),
      set: (key, result) => (kept.push(JSON.stringify(result.outputs)), inner.set(key, result)),
    }
    for (const say of [(key: string) => `has ${key}`, () => 'has none']) {
      const component = keyed((key) => createMessage(say(key)))
      const flow = flowBuilder()
      flow.add(component, { id: 'Keyed-1', values: { key: 'KEY' }, frozen: true })
      await run(flow.toJSON(), { more: [component], services, cache })
    }
    expect(kept).toHaveLength(1)
    expect(kept[0]).toContain('has none')
  })

  test('FE-65: secrets of a child run are masked in the parent run', async () => {
    const inner = keyed((key) => createMessage(`child has ${key}`))
    const json = alone(inner)
    const parent = defineComponent({
      type: 'Parent',
      inputs: {},
      outputs: {
        out: output.message({
          run: async (_inputs, ctx) => {
            const child = await ctx.runFlow(json, { outputType: 'debug' })
            return child.text() ?? ''
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(parent, { id: 'Parent-1' })
    const { events } = await run(flow.toJSON(), {
      more: [parent, inner],
      services,
    })
    expect(encoded(events)).toContain('child has')
    expect(encoded(events)).not.toContain(SECRET)
  })

  test('FE-65, FE-63: a secret in a result restored from a checkpoint stays masked', async () => {
    const source = keyed((key) => createMessage(key))
    const flow = flowBuilder()
    flow.add(source, { id: 'Keyed-1', values: { key: 'KEY' } })
    flow.add(join, { id: 'Join-1' })
    flow.connect('Keyed-1.out', 'Join-1.texts')
    const components = createRegistry([...library, source])
    const kept = new Map<string, string>()
    const options = { components, services, runtime: createTestRuntime() }
    await collectEvents(
      startRun(flow.toJSON(), options, {
        checkpoint: async (id, state) => kept.set(id, state).has(id),
      }),
    )
    kept.delete('Join-1')
    const again = startRun(flow.toJSON(), options, {
      resume: {
        firstSeq: 0,
        checkpoints: kept,
        sorted: true,
        reported: new Map([['Keyed-1', 1]]),
      },
    })
    const events = await collectEvents(again)
    expect(events.map(({ event }) => event)).toEqual(['end_vertex', 'end'])
    expect(encoded(events)).not.toContain(SECRET)
  })
})
