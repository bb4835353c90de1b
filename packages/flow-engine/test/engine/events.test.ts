import { describe, expect, test } from 'vitest'
import {
  createMessage,
  createSystemRuntime,
  defineComponent,
  field,
  formatRunResponse,
  output,
  type Component,
  type FlowJson,
  type MessageRecord,
  type MessageService,
} from '@x/flow-engine'
import { startRun } from '../../src/graph/run/run.ts'
import { createRunMessages } from '../../src/graph/messages/memory-messages.ts'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import { createRegistry } from '@x/flow-engine'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { encoded, failing, join, library, run, start, kinds } from './dependencies.ts'

function component(type: string, make: Component['outputs'][string]['run']): Component {
  return defineComponent({
    type,
    inputs: {
      text: field.handle({ types: ['Message'] }),
      key: field.secret({ loadFromDb: false }),
    },
    outputs: { out: output.message({ run: make as never }) },
  })
}

/** Runs until its signal fires. */
const hanging = component(
  'Hanging',
  (_inputs, ctx) =>
    new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
    }),
)
/** Takes no notice of its signal. */
const deaf = component('Deaf', () => new Promise(() => undefined))

function talker(chunks: () => AsyncIterable<string>): Component {
  return component('Talker', () => createMessage(chunks()))
}

function talk(withOutput = true): FlowJson {
  const flow = flowBuilder()
  flow.add(
    talker(async function* () {}),
    { id: 'Talker-1' },
  )
  flow.add(withOutput ? chatOutput : textOutput, {
    id: withOutput ? 'ChatOutput-1' : 'TextOutput-1',
  })
  return flow
    .connect('Talker-1.out', withOutput ? 'ChatOutput-1.input_value' : 'TextOutput-1.input_value')
    .toJSON()
}

function alone(one: Component, values = {}): FlowJson {
  const flow = flowBuilder()
  flow.add(one, { id: `${one.type}-1`, values })
  return flow.toJSON()
}

/** Counts what is written. */
function countingMessages() {
  const writes: string[] = []
  const rows = createRunMessages()
  const service: MessageService = {
    add: (row) => (writes.push(`add ${row.text}`), rows.add(row)),
    update: (row) => (writes.push(`update ${row.text}`), rows.update(row)),
    remove: (id) => (writes.push('remove'), rows.remove(id)),
    list: (query) => rows.list(query),
  }
  const all = (): Promise<MessageRecord[]> => rows.list({ includeErrors: true })
  return { service, writes, all }
}

describe('streams', () => {
  test('FE-51: a stream sends a partial message, tokens, the end of the vertex and the whole message with the same id', async () => {
    const model = talker(async function* () {
      yield* ['one ', '', 'two']
    })
    const messages = countingMessages()
    const { events, result } = await run(talk(), {
      more: [model],
      services: { messages: messages.service },
    })
    expect(kinds(events)).toEqual([
      'vertices_sorted',
      'add_message',
      'token',
      'token',
      'end_vertex',
      'add_message',
      'end_vertex',
      'end',
    ])
    const [first, last] = events
      .filter((event) => event.event === 'add_message')
      .map((event) => event.data)
    expect(first).toMatchObject({
      text: '',
      properties: { state: 'partial', source: { id: 'Talker-1' } },
    })
    expect(last).toMatchObject({
      text: 'one two',
      properties: { state: 'complete' },
      id: first?.id,
    })
    expect(messages.writes).toEqual(['add ', 'update one two'])
    expect(result.messages).toHaveLength(1)
    expect(result.text()).toBe('one two')
  })

  test('FE-51: without a chat output the text is collected without events', async () => {
    const model = talker(async function* () {
      yield* ['a', 'b']
    })
    const { events, result } = await run(talk(false), { more: [model], outputType: 'text' })
    expect(kinds(events)).toEqual(['vertices_sorted', 'end_vertex', 'end_vertex', 'end'])
    expect(result.text()).toBe('ab')
  })

  test('FE-51: an error in mid-stream withdraws the message', async () => {
    const model = talker(async function* () {
      yield 'half'
      throw new RangeError('gone')
    })
    const messages = countingMessages()
    const { events } = await run(talk(), {
      more: [model],
      services: { messages: messages.service },
    })
    expect(kinds(events)).toEqual([
      'vertices_sorted',
      'add_message',
      'token',
      'remove_message',
      'error',
      'end_vertex',
      'end',
    ])
    expect(await messages.all()).toMatchObject([{ error: true }])
  })

  test('FE-51, FE-60: a cancel in mid-stream keeps the text so far, or removes an empty row', async () => {
    for (const [chunks, left] of [
      [['some ', 'text'], 1],
      [[''], 0],
    ] as const) {
      const model = talker(async function* () {
        yield* chunks
        await new Promise(() => undefined)
      })
      const messages = countingMessages()
      const started = start(talk(), { more: [model], services: { messages: messages.service } })
      for await (const { event } of started) {
        if (event === (left === 0 ? 'add_message' : 'token')) started.cancel()
      }
      const result = await started.result
      expect(result).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } })
      const rows = await messages.all()
      expect(rows).toHaveLength(left)
      expect(rows.map((row) => Reflect.get(row.properties, 'state'))).toEqual(
        left === 1 ? ['partial'] : [],
      )
      const events = await collectEvents(started)
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { cancelled: true } })
      expect(kinds(events).includes('remove_message')).toBe(left === 0)
    }
  })
})

describe('ends of a run', () => {
  test('FE-60: cancel fires signals at once and abandons vertices that ignore them', async () => {
    const flow = flowBuilder()
    flow.add(hanging, { id: 'Hanging-1' })
    flow.add(deaf, { id: 'Deaf-1' })
    const started = start(flow.toJSON(), { more: [hanging, deaf] })
    for await (const event of started)
      if (event.event === 'vertices_sorted') started.cancel('enough')
    started.cancel('again')
    const result = await started.result
    expect(result.status).toBe('cancelled')
    expect(result.error?.cause).toBe('enough')
    expect(kinds(await collectEvents(started))).toEqual(['vertices_sorted', 'end'])
  })

  test('FE-60: with an already aborted signal no vertex runs', async () => {
    const { events, result } = await run(alone(join), { signal: AbortSignal.abort() })
    expect(events).toMatchObject([{ event: 'end', data: { cancelled: true } }])
    expect(result.status).toBe('cancelled')
  })

  test('FE-64: a run over its time limit aborts all vertices', async () => {
    const runtime = createTestRuntime()
    const started = start(alone(hanging), {
      more: [hanging],
      runtime,
      limits: { runTimeoutMs: 50 },
    })
    for await (const { event } of started)
      if (event === 'vertices_sorted') await runtime.advance(50)
    const result = await started.result
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit_exceeded' } })
    expect(result.error?.detail).toContain('runTimeoutMs')
    expect(kinds(await collectEvents(started))).toEqual(['vertices_sorted', 'error', 'end'])
  })

  test('FE-64: events and values are limited', async () => {
    const chatty = component('Chatty', async (_inputs, ctx) => {
      for (let index = 0; index < 50; index += 1) await ctx.sendMessage(createMessage('x'))
      return ''
    })
    const over = await run(alone(chatty), { more: [chatty], limits: { events: 10 } })
    expect(over.result.error?.detail).toContain('events')
    expect(over.events.at(-1)?.event).toBe('end')
    const large = component('Large', () => 'x'.repeat(2000))
    const { result } = await run(alone(large), { more: [large], limits: { valueBytes: 1000 } })
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded', vertexId: 'Large-1' },
    })
  })

  test('FE-67: a vertex over its time limit fails, and its later result is dropped', async () => {
    const runtime = createTestRuntime()
    const started = start(alone(deaf), { more: [deaf], runtime, limits: { vertexTimeoutMs: 20 } })
    for await (const { event } of started)
      if (event === 'vertices_sorted') await runtime.advance(20)
    expect((await started.result).error).toMatchObject({
      code: 'timeout',
      detail: 'Component Deaf timed out after 20 ms',
    })
  })

  test('FE-61, FE-70: a failure sends an error message and an end_vertex, stored but not in history', async () => {
    const messages = countingMessages()
    const { events, result } = await run(alone(failing), {
      mode: 'build',
      services: { messages: messages.service },
    })
    expect(kinds(events)).toEqual(['vertices_sorted', 'error', 'end_vertex', 'end'])
    expect(events[1]?.data).toMatchObject({
      text: 'it broke\n',
      sender: 'Failing one',
      category: 'error',
      error: true,
      context_id: null,
      id: expect.any(String),
      content_blocks: [
        {
          title: 'Error',
          contents: [{ type: 'error', component: 'Failing one', traceback: null }],
        },
      ],
    })
    const detail = 'Error building Component Failing one: \n\nit broke'
    expect(events[2]?.data).toMatchObject({
      build_data: {
        valid: false,
        params: detail,
        next_vertices_ids: [],
        data: {
          results: {},
          logs: {},
          artifacts: {},
          outputs: { out: { type: 'error', message: { errorMessage: detail, stackTrace: '' } } },
        },
      },
    })
    expect(result.error).toMatchObject({
      code: 'component_failed',
      detail,
      vertexId: 'Failing-1',
      displayName: 'Failing one',
    })
    expect(result.error?.cause).toBeInstanceOf(RangeError)
    expect(await messages.service.list({})).toEqual([])
    expect(await messages.all()).toHaveLength(1)
  })

  test('FE-70: a thrown value that is not an Error is reported by its text', async () => {
    const odd = component('Odd', () => {
      // oxlint-disable-next-line no-throw-literal
      throw 'just a text'
    })
    expect((await run(alone(odd), { more: [odd] })).result.error?.detail).toMatch(/just a text$/)
  })

  test('FE-63a: a run that is not a resumable job cannot be suspended', async () => {
    const asking = component('Asking', (_inputs, ctx) => ctx.suspend('sure?'))
    const { result } = await run(alone(asking), { more: [asking] })
    expect(result.error?.code).toBe('not_resumable')
  })

  test('FE-63, FE-63a: a host stores checkpoints and answers; a vertex with a checkpoint is not run again', async () => {
    let builds = 0
    const counting = component('Counting', () => String((builds += 1)))
    const asking = component('Asking', async (_inputs, ctx) => String(await ctx.suspend('sure?')))
    const flow = flowBuilder()
    flow.add(counting, { id: 'Counting-1' })
    flow.add(asking, { id: 'Asking-1' })
    flow.connect('Counting-1.out', 'Asking-1.text')
    const components = createRegistry([...library, counting, asking])
    const kept = new Map<string, string>()
    const checkpoint = async (id: string, state: string) => kept.set(id, state).has(id)
    const options = { components, mode: 'build' as const, outputType: 'debug' as const }
    const first = startRun(flow.toJSON(), options, {
      checkpoint,
      suspend: async () => ({ kind: 'suspended' }),
    })
    const events = await collectEvents(first)
    expect(kinds(events)).toEqual(['vertices_sorted', 'end_vertex'])
    const second = startRun(flow.toJSON(), options, {
      resume: {
        firstSeq: events.length,
        checkpoints: kept,
        sorted: true,
        reported: new Map([['Counting-1', 1]]),
      },
      checkpoint,
      suspend: async () => ({ kind: 'answered', answer: 'yes' }),
    })
    const rest = await collectEvents(second)
    expect(rest.map(({ seq, event }) => [seq, event])).toEqual([
      [2, 'end_vertex'],
      [3, 'end'],
    ])
    expect((await second.result).text('Asking-1')).toBe('yes')
    expect(builds).toBe(1)
  })
})

describe('readers', () => {
  test('FE-19, FE-60: every reader gets all events, also after the end', async () => {
    const started = start(alone(join))
    const [one, two] = await Promise.all([collectEvents(started), collectEvents(started)])
    await started.result
    expect(encoded(await collectEvents(started))).toBe(encoded(one))
    expect(encoded(two)).toBe(encoded(one))
    expect(encoded(one)).toContain('"to_run":["Join-1"]')
    expect(one.map(({ seq }) => seq)).toEqual([0, 1, 2])
  })

  test('FE-60: a reader that leaves does not cancel the run', async () => {
    const started = start(alone(join))
    for await (const event of started) if (event.seq === 0) break
    expect((await started.result).status).toBe('succeeded')
  })

  test('FE-68: a late reader can get joined tokens; the text is the same and numbers increase', async () => {
    const model = talker(async function* () {
      for (let index = 0; index < 5000; index += 1) yield `${index},`
    })
    const started = start(talk(), { more: [model], limits: { bufferedTokens: 16 } })
    await started.result
    const events = await collectEvents(started)
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
    expect(tokens.length).toBeLessThan(100)
    expect(tokens.join('')).toBe(Array.from({ length: 5000 }, (_, index) => `${index},`).join(''))
    const numbers = events.map((event) => event.seq)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('FE-68: a reader that keeps up gets each token', async () => {
    const model = talker(async function* () {
      for (let index = 0; index < 3000; index += 1) yield `${index},`
    })
    const { events } = await run(talk(), {
      more: [model],
      limits: { bufferedTokens: 64 },
      runtime: createSystemRuntime(),
    })
    expect(events.filter((event) => event.event === 'token')).toHaveLength(3000)
  })
})

describe('output of a run', () => {
  test('FE-65: secrets are masked in events, stored messages and errors, also across tokens', async () => {
    const secret = 'sk-very-secret'
    const leaky = component('Leaky', async (inputs, ctx) => {
      const key = String(Reflect.get(inputs, 'key'))
      ctx.log('key', { key })
      const sent = await ctx.sendMessage(createMessage(`the key is ${key}`))
      for (const chunk of `x${key}y`) ctx.token(chunk, sent.id)
      throw new RangeError(`bad key ${key}`)
    })
    const messages = countingMessages()
    const { events, result } = await run(alone(leaky, { key: secret }), {
      more: [leaky],
      mode: 'build',
      services: { messages: messages.service },
    })
    expect(encoded(events)).toContain('the key is *****')
    expect(encoded(events)).not.toContain(secret)
    expect(JSON.stringify(await messages.all())).not.toContain(secret)
    expect(result.error?.detail).toBe('Error building Component Leaky: \n\nbad key *****')
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
    expect(tokens.join('')).not.toContain('sk-')
  })

  test('FE-66: event data is valid JSON whatever a component returns', async () => {
    const round: Record<string, unknown> = {
      big: 12n,
      when: new Date(0),
      nan: Number.NaN,
      call: () => 1,
      sign: Symbol('s'),
    }
    round.self = round
    Object.defineProperty(round, 'bad', {
      enumerable: true,
      get: () => {
        throw new RangeError('no')
      },
    })
    const odd = defineComponent({
      type: 'OddOne',
      inputs: {},
      outputs: { out: output.data({ run: () => round }) },
    })
    const { events, result } = await run(alone(odd), { more: [odd] })
    expect(result.status).toBe('succeeded')
    const end = events.find((event) => event.event === 'end_vertex')
    expect(JSON.parse(JSON.stringify(end?.data))).toMatchObject({
      build_data: {
        data: {
          outputs: {
            out: {
              message: {
                big: '12',
                nan: null,
                self: '[Circular]',
                when: '1970-01-01T00:00:00.000Z',
              },
            },
          },
        },
      },
    })
  })

  test('FE-66: texts and lists are truncated in end_vertex, not in messages and answers', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
    const long = 'y'.repeat(7000)
    const { events, result } = await run(flow.toJSON(), { input: long })
    const end = events.find((event) => event.event === 'end_vertex')
    expect(end?.data).toMatchObject({
      build_data: { data: { outputs: { message: { message: `${'y'.repeat(6000)}...` } } } },
    })
    expect(events[1]?.data).toMatchObject({ text: long })
    const response = formatRunResponse(result)
    expect(response).toMatchObject({
      session_id: 'flow-1',
      outputs: [
        {
          inputs: { input_value: long },
          outputs: [{ component_id: 'ChatOutput-1', messages: [{ message: long }] }],
        },
      ],
    })
  })

  test('FE-40: a child run uses the services of its parent and returns its result', async () => {
    const inner = flowBuilder()
    inner.add(chatInput, { id: 'ChatInput-1' })
    inner.add(chatOutput, { id: 'ChatOutput-1' })
    inner.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
    const json = inner.toJSON()
    const parent = component('Parent', async (_inputs, ctx) => {
      const child = await ctx.runFlow(json, { input: 'from above' })
      return `${child.status}: ${child.text()}`
    })
    const messages = countingMessages()
    const { result, events } = await run(alone(parent), {
      more: [parent],
      services: { messages: messages.service },
    })
    expect(result.text('Parent-1')).toBe('succeeded: from above')
    expect(kinds(events)).toEqual(['vertices_sorted', 'end_vertex', 'end'])
    expect(await messages.all()).toHaveLength(2)
  })
})
