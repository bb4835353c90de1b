import { describe, expect, test } from 'vitest'
import {
  createData,
  createDataFrame,
  createMessage,
  defineComponent,
  field,
  formatRunResponse,
  formatValue,
  output,
} from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { run } from './dependencies.ts'

function throwing(): Record<string, unknown> {
  const get = (): never => {
    throw new RangeError('unreadable')
  }
  return Object.defineProperties(
    { fine: 1 },
    {
      text: { enumerable: true, get },
      kind: { enumerable: true, get },
      toJSON: { value: get },
      toString: { value: get },
    },
  )
}

function circle(): Record<string, unknown> {
  const round: Record<string, unknown> = { name: 'round' }
  round.self = round
  round.list = [round]
  return round
}

class Opaque {
  readonly #hidden = 1
  get hidden(): number {
    return this.#hidden
  }
}

const deep = (() => {
  let value: unknown = 'bottom'
  for (let depth = 0; depth < 20_000; depth += 1) value = [value]
  return value
})()

const odd: readonly (readonly [string, () => unknown])[] = [
  ['a circular object', circle],
  ['getters that throw', throwing],
  ['a list of getters that throw', () => [throwing(), circle()]],
  ['a BigInt', () => 10n ** 30n],
  ['a symbol', () => Symbol('s')],
  ['a function', () => () => 1],
  ['bytes', () => new Uint8Array([104, 105, 255])],
  ['an array buffer', () => new ArrayBuffer(4)],
  ['a date that is none', () => new Date(Number.NaN)],
  ['infinity', () => Number.POSITIVE_INFINITY],
  ['an object of a class', () => new Opaque()],
  ['a promise in an object', () => ({ later: Promise.resolve(1) })],
  ['a map and a set', () => ({ map: new Map([[circle(), 1n]]), set: new Set([1n]) })],
  ['a stream in an object', () => ({ stream: new ReadableStream() })],
  ['Data with a circle', () => createData(circle())],
  ['Data with getters that throw', () => createData(throwing())],
  ['a frame of odd cells', () => createDataFrame([{ a: 1n, b: circle() }, throwing()])],
  ['a message with odd data', () => createMessage({ text: 'x', data: { more: circle() } })],
  ['a message with odd files', () => createMessage({ text: 'x', files: [circle(), 1n, null] })],
  ['an object without prototype', () => Object.assign(Object.create(null) as object, { a: 1n })],
  ['an error', () => new RangeError('as a value')],
  ['something very deep', () => deep],
]

describe('odd values (FE-66)', () => {
  test.for(odd)('FE-66: %s in a result is JSON in events and answers', async ([, make]) => {
    const component = defineComponent({
      type: 'ChatOutput',
      inputs: {},
      outputs: { out: output.any({ types: ['Data'], run: () => make() }) },
    })
    const flow = flowBuilder()
    flow.add(component, { id: 'ChatOutput-1' })
    const { result, events } = await run(flow.toJSON(), { more: [component] })
    expect(result.error).toBeUndefined()
    expect(result.status).toBe('succeeded')
    for (const shown of [events.map(({ data }) => data), formatRunResponse(result)]) {
      const text = JSON.stringify(shown)
      expect(JSON.parse(text)).toEqual(shown)
      expect(text.length).toBeLessThan(100_000)
    }
  })

  test.for(odd)(
    'FE-66: %s in a log, a status and a message causes no failure',
    async ([, make]) => {
      const component = defineComponent({
        type: 'Noting',
        inputs: {},
        outputs: {
          out: output.message({
            run: async (_inputs, ctx) => {
              ctx.log('odd', make())
              ctx.status(make())
              await ctx.sendMessage(
                createMessage({
                  text: 'sent',
                  data: { odd: make() },
                  contentBlocks: [{ title: 'x', contents: [make()] }],
                }),
              )
              return 'done'
            },
          }),
        },
      })
      const flow = flowBuilder()
      flow.add(component, { id: 'Noting-1' })
      const { result, events } = await run(flow.toJSON(), { more: [component] })
      expect(result.error).toBeUndefined()
      expect(JSON.parse(JSON.stringify(events.map(({ data }) => data)))).toEqual(
        events.map(({ data }) => data),
      )
    },
  )

  test('FE-66: values that JSON cannot represent are written in a fixed form', () => {
    expect(formatValue(circle())).toEqual({
      name: 'round',
      self: '[Circular]',
      list: ['[Circular]'],
    })
    expect(formatValue([10n ** 30n, Number.NaN, -Infinity, -0, undefined])).toEqual([
      '1000000000000000000000000000000',
      null,
      null,
      -0,
      null,
    ])
    const twice = { a: 1 }
    expect(formatValue([twice, twice])).toEqual([{ a: 1 }, { a: 1 }])
  })
})

describe('tables of uneven rows (CO-3)', () => {
  const uneven = defineComponent({
    type: 'Uneven',
    inputs: { unused: field.text({ toolMode: true }) },
    outputs: { out: output.dataFrame({ run: () => [{ a: 1 }, { b: 2 }] }) },
  })
  const rows = [
    { a: 1, b: null },
    { a: null, b: 2 },
  ]

  test('CO-3: missing cells are null in the result and in end_vertex', async () => {
    const flow = flowBuilder()
    flow.add(uneven, { id: 'Uneven-1' })
    const options = { more: [uneven], outputType: 'debug' } as const
    const { result, events } = await run(flow.toJSON(), options)
    const [end] = events.flatMap((event) =>
      event.event === 'end_vertex' ? [event.data.build_data.data] : [],
    )
    expect(end?.outputs.out).toEqual({ message: rows, type: 'array' })
    expect(end?.artifacts.out).toMatchObject({ raw: rows })
    const [first] = formatRunResponse(result).outputs
    expect(first?.outputs[0]?.outputs.out).toEqual({ message: rows, type: 'array' })
  })

  test('CO-3, CO-22: missing cells are null in a tool result for a model', async () => {
    const { value } = await testComponent(uneven, { output: 'component_as_tool' })
    const [tool] = value as Tool[]
    const { signal } = new AbortController()
    expect(await tool?.call({}, { signal })).toEqual(rows)
  })
})
