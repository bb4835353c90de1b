import { describe, expect, test } from 'vitest'
import {
  checkFlow,
  createData,
  createMessage,
  createRegistry,
  defaultRunLimits,
  defineComponent,
  formatRunResponse,
  output,
  type Component,
} from '@x/flow-engine'
import { createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { encoded, join, library, run } from './dependencies.ts'

function giving(make: Component['outputs'][string]['run']): Component {
  return defineComponent({
    type: 'Giving',
    inputs: {},
    outputs: { out: output.any({ types: ['Message', 'Data'], run: make }) },
  })
}

function alone(component: Component) {
  const flow = flowBuilder()
  flow.add(component, { id: 'Giving-1' })
  return flow.toJSON()
}

const bytesOf = (data: unknown) => new TextEncoder().encode(JSON.stringify(data)).length

async function given(
  make: Component['outputs'][string]['run'],
  limits: Parameters<typeof run>[1] & object,
) {
  const component = giving(make)
  const ran = await run(alone(component), { more: [component], outputType: 'debug', ...limits })
  const end = ran.events.flatMap(({ event, data }) =>
    event === 'end_vertex' ? [data.build_data] : [],
  )[0]
  return { ...ran, end, shown: end?.data.outputs.out?.message }
}

describe('limits (FE-64)', () => {
  test('FE-64: the defaults match the documentation', () => {
    expect(defaultRunLimits).toEqual({
      vertices: 20_000,
      edges: 100_000,
      loopPasses: 10_000,
      runTimeoutMs: 3_600_000,
      vertexTimeoutMs: null,
      events: 1_000_000,
      eventBytes: 8 * 1024 * 1024,
      checkpointBytes: 256 * 1024 * 1024,
      valueBytes: 64 * 1024 * 1024,
      bufferedTokens: 1024,
      textLength: 6000,
      items: 1000,
    })
  })

  test('FE-64: vertices and edges are counted after groups are expanded; the limit itself is allowed', () => {
    const flow = flowBuilder()
    const ids = ['Join-1', 'Join-2', 'Join-3'].map((id) => flow.add(join, { id }))
    flow.connect('Join-1.out', 'Join-2.texts').connect('Join-2.out', 'Join-3.texts')
    flow.group('Group-1', ids)
    const components = createRegistry(library)
    const codes = (limits: object) =>
      checkFlow(flow.toJSON(), { components, limits }).map(({ code, message }) => [code, message])
    expect(codes({ vertices: 3, edges: 2 })).toEqual([])
    expect(codes({ vertices: 2, edges: 2 })).toEqual([
      ['too_large', 'The flow has 3 vertices; the limit vertices is 2'],
    ])
    expect(codes({ vertices: 3, edges: 1 })).toEqual([
      ['too_large', 'The flow has 2 edges; the limit edges is 1'],
    ])
  })

  test('FE-64: textLength truncates texts of end_vertex at every depth, even if only one character is too many', async () => {
    const { shown, end } = await given(
      () => createData({ a: '12345', b: ['123456'], '1234567': 1 }),
      {
        limits: { textLength: 5 },
      },
    )
    expect(shown).toEqual({ a: '12345', b: ['12345...'], '1234567': 1 })
    expect(end?.data.artifacts).toMatchObject({ out: { raw: { b: ['12345...'] } } })
  })

  test('FE-64: items truncates lists of end_vertex and reports how many items are missing', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => index)
    const { end, shown, result } = await given(
      () => createData({ full: rows(3), over: rows(10) }),
      { limits: { items: 3 } },
    )
    const cut = { full: [0, 1, 2], over: [0, 1, 2, '... [truncated 7 items]'] }
    expect(shown).toEqual(cut)
    expect(end?.data.artifacts).toMatchObject({ out: { raw: cut } })
    expect(end?.data.message).toMatchObject({ out: { raw: cut } })
    const [first] = formatRunResponse(result).outputs
    expect(first?.outputs[0]?.outputs.out).toMatchObject({ message: { over: rows(10) } })
  })

  test('FE-64: valueBytes counts texts and bytes of one output, including nested ones, but not of several outputs', async () => {
    const limits = { valueBytes: 1000 }
    const fits = await given(() => createData({ list: ['x'.repeat(400)] }), { limits })
    expect(fits.result.status).toBe('succeeded')
    for (const value of [
      () => createData({ list: [{ deep: 'x'.repeat(501) }] }),
      () => createData({ bytes: new Uint8Array(1001) }),
      () => createMessage('x'.repeat(501)),
    ]) {
      const { result } = await given(value, { limits })
      expect(result.error).toMatchObject({ code: 'limit_exceeded', vertexId: 'Giving-1' })
      expect(result.error?.detail).toContain('valueBytes')
    }
    const half = () => 'x'.repeat(300)
    const both = defineComponent({
      type: 'Giving',
      inputs: {},
      outputs: { out: output.message({ run: half }), more: output.message({ run: half }) },
    })
    const { result } = await run(alone(both), { more: [both], limits })
    expect(result.status).toBe('succeeded')
  })

  test('FE-64: in a build a value over its limit fails only its vertex', async () => {
    const large = giving(() => 'x'.repeat(2000))
    const flow = flowBuilder()
    flow.add(large, { id: 'Giving-1' })
    flow.add(join, { id: 'Join-1' })
    flow.add(join, { id: 'Join-2' })
    flow.connect('Giving-1.out', 'Join-1.texts')
    const options = { more: [large], limits: { valueBytes: 1000 }, mode: 'build' as const }
    const { ends, result } = await run(flow.toJSON(), options)
    expect(ends.toSorted()).toEqual(['Giving-1!', 'Join-2'])
    expect(result.error?.code).toBe('limit_exceeded')
  })

  test('FE-64: eventBytes limits an end_vertex with many small values, keys and texts', async () => {
    const eventBytes = 20_000
    const wide = Array.from({ length: 900 }, (_, index) => ({ [`key ${index}`]: '"'.repeat(90) }))
    const { events, result } = await given(() => createData({ wide }), { limits: { eventBytes } })
    expect(result.status).toBe('succeeded')
    for (const { data } of events) {
      expect(new TextEncoder().encode(JSON.stringify(data)).length).toBeLessThan(eventBytes)
    }
    expect(encoded(events)).toContain('key 0')
  })

  test('FE-64: eventBytes limits all values of an end_vertex together, also a value that occurs three times', async () => {
    const eventBytes = 20_000
    // Fits three times as it is, and only twice when each character is escaped.
    const { end, shown } = await given(() => createData({ text: '\u0001'.repeat(1600) }), {
      limits: { eventBytes },
    })
    expect(shown).toEqual({ text: '\u0001'.repeat(1600) })
    expect(JSON.stringify(end).length).toBeLessThan(eventBytes)
  })

  test.each([
    ['quotes', '"'],
    ['control characters', '\u0001'],
    ['letters of two bytes', 'ä'],
    ['plain letters', 'x'],
  ])(
    'FE-64: eventBytes limits the whole end_vertex with keys and envelope: %s',
    async (_, char) => {
      for (const eventBytes of [3000, 5000, 12_000, 20_000, 50_000]) {
        for (let length = 40; length < eventBytes / 4; length = Math.ceil(length * 1.2)) {
          const text = char.repeat(length)
          for (const make of [() => createData({ text }), () => text, () => [text, text]]) {
            const { end } = await given(make, { limits: { eventBytes, textLength: 100_000 } })
            expect(bytesOf({ build_data: end })).toBeLessThanOrEqual(eventBytes)
          }
        }
      }
    },
  )

  test('FE-64: eventBytes limits an end_vertex of one object with many keys, and of many numbers', async () => {
    const eventBytes = 20_000
    const numbers = Array.from({ length: 900 }, (_, index) => -index / 7e200)
    const wide = Object.fromEntries(numbers.map((number, index) => [`key ${index}`, number]))
    for (const value of [wide, { many: [numbers, numbers] }, { some: numbers.slice(0, 100) }]) {
      const { end } = await given(() => createData(value), { limits: { eventBytes } })
      expect(bytesOf({ build_data: end })).toBeLessThanOrEqual(eventBytes)
    }
    const { shown } = await given(() => createData({ wide, kept: 'x' }), { limits: { eventBytes } })
    expect(shown).toEqual({ wide: {}, kept: 'x' })
  })

  test('FE-64: eventBytes limits an end_vertex that names many vertices', async () => {
    const eventBytes = 20_000
    const component = giving(() => createData({ text: '\u0001'.repeat(1500) }))
    const flow = flowBuilder()
    flow.add(component, { id: 'Giving-1' })
    for (let index = 0; index < 100; index += 1) {
      flow.add(join, { id: `Join-with-a-long-name-${index}` })
      flow.connect('Giving-1.out', `Join-with-a-long-name-${index}.texts`)
    }
    const { events, next } = await run(flow.toJSON(), { more: [component], limits: { eventBytes } })
    expect(next['Giving-1']).toHaveLength(100)
    const ends = events.filter(({ event }) => event === 'end_vertex')
    for (const { data } of ends) expect(bytesOf(data)).toBeLessThanOrEqual(eventBytes)
  })

  test('FE-64: eventBytes limits the end_vertex of a failure, which contains its text twice', async () => {
    for (const eventBytes of [5000, 20_000, 50_000]) {
      const { end } = await given(
        () => {
          throw new RangeError('\u0001'.repeat(eventBytes))
        },
        { limits: { eventBytes } },
      )
      expect(bytesOf({ build_data: end })).toBeLessThanOrEqual(eventBytes)
      expect(end?.params).toContain('\u0001\u0001')
      expect(end?.data.outputs.out?.message).toMatchObject({ errorMessage: end?.params })
    }
  })

  test('FE-64: a message larger than eventBytes fails the vertex', async () => {
    const { result, events } = await given(
      async (_inputs, ctx) => {
        await ctx.sendMessage(createMessage('x'.repeat(5000)))
        return 'sent'
      },
      { limits: { eventBytes: 3000 } },
    )
    expect(events.some(({ event }) => event === 'add_message')).toBe(false)
    expect(result.error).toMatchObject({
      code: 'limit_exceeded',
      vertexId: 'Giving-1',
    })
    expect(result.error?.detail).toContain('eventBytes')
  })

  test('DR-18: a run that exceeds its events reports the limit, then ends', async () => {
    const many = giving(async (_inputs, ctx) => {
      for (let index = 0; index < 3; index += 1) await ctx.sendMessage(createMessage('x'))
      return 'sent'
    })
    const flow = alone(many)
    const needed = (await run(flow, { more: [many] })).events.length
    const enough = await run(flow, { more: [many], limits: { events: needed } })
    expect(enough.result.status).toBe('succeeded')
    const few = await run(flow, { more: [many], limits: { events: 3 } })
    expect(few.result).toMatchObject({ status: 'failed', error: { code: 'limit_exceeded' } })
    expect(few.events.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect(JSON.stringify(few.events.at(-2)?.data)).toContain('a run may have 3 events')
    expect(few.events.length).toBeLessThanOrEqual(5)
  })
})

describe('a clock that throws once', () => {
  test.each([
    ['succeeded at once', 'internal', () => 'x'],
    ['succeeded later', 'internal', () => Promise.resolve('x')],
    ['failed at once', 'component_failed', () => ''],
    ['failed later', 'component_failed', () => Promise.resolve('')],
  ])('FE-70: ends the run, after a build that %s', async (_, code, make) => {
    const runtime = createTestRuntime()
    let isArmed = false
    const arm = (): void => {
      isArmed = true
      if (code !== 'internal') throw new TypeError('no value')
    }
    const armed = giving(() => {
      const value = make()
      if (typeof value !== 'string') return value.then(() => arm())
      arm()
      return value
    })
    const { result } = await run(alone(armed), {
      more: [armed],
      runtime: {
        ...runtime,
        now() {
          if (!isArmed) return runtime.now()
          isArmed = false
          throw new RangeError('no clock')
        },
      },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code } })
  })
})
