import { describe, expect, test } from 'vitest'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import {
  createMessage,
  createRegistry,
  type Component,
  type FlowJson,
  type RunEvent,
} from '@x/flow-engine'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { createBuildJobs } from '@x/flow-engine'
import { gated } from './gated.ts'
import { library, run, start, kinds, giving } from './dependencies.ts'

const talking = (chunks: () => AsyncIterable<string>) => giving(() => createMessage(chunks()))

function flowTo(from: Component, to: Component): FlowJson {
  const flow = flowBuilder()
  flow.add(from, { id: 'Giving-1' })
  const target = flow.add(to, { id: `${to.type}-1` })
  return flow.connect('Giving-1.out', `${target}.input_value`).toJSON()
}

const bytesOf = ({ data }: RunEvent) => new TextEncoder().encode(JSON.stringify(data)).length
const tokensOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))

describe('limits of streamed text (FE-64)', () => {
  test('FE-64, FE-51: a token over eventBytes fails the vertex and withdraws its message', async () => {
    const model = talking(async function* () {
      yield 'a'
      yield 'x'.repeat(10_000)
      yield 'b'
    })
    const options = { more: [model], limits: { eventBytes: 9000 } }
    const { events, result } = await run(flowTo(model, chatOutput), options)
    expect(result.error).toMatchObject({ code: 'limit_exceeded', vertexId: 'Giving-1' })
    expect(result.error?.detail).toContain('eventBytes')
    expect(kinds(events)).toEqual([
      'vertices_sorted',
      'add_message',
      'token',
      'remove_message',
      'error',
      'end_vertex',
      'end',
    ])
    for (const event of events) expect(bytesOf(event)).toBeLessThanOrEqual(9000)
    expect(result.messages.map(({ category }) => category)).toEqual(['error'])
  })

  test('FE-64: a token is measured in its encoded form', async () => {
    const fits = 'ä'.repeat(1000)
    const limits = { eventBytes: 3000 }
    for (const [chunk, sent] of [
      [fits, true],
      ['\u0001'.repeat(1000), false],
      ['ä'.repeat(1500), false],
    ] as const) {
      const model = giving(async (_inputs, ctx) => {
        const { id } = await ctx.sendMessage(createMessage('short'))
        ctx.token(chunk, id)
        return 'done'
      })
      const { events, result } = await run(flowTo(model, textOutput), { more: [model], limits })
      expect(tokensOf(events)).toEqual(sent ? [chunk] : [])
      expect(result.error?.code).toBe(sent ? undefined : 'limit_exceeded')
    }
  })

  test('FE-64, FE-68: joined tokens also stay below eventBytes, and none is lost', async () => {
    const model = talking(async function* () {
      for (let index = 0; index < 3000; index += 1) yield `${index},`
    })
    const limits = { eventBytes: 20_000, bufferedTokens: 8 }
    const started = start(flowTo(model, chatOutput), { more: [model], limits })
    await started.result
    for (const events of [await collectEvents(started), await collectEvents(started)]) {
      const tokens = tokensOf(events)
      expect(tokens.length).toBeLessThan(50)
      expect(tokens.length).toBeGreaterThan(3)
      expect(tokens.join('')).toBe(Array.from({ length: 3000 }, (_, index) => `${index},`).join(''))
      for (const event of events) expect(bytesOf(event)).toBeLessThanOrEqual(20_000)
    }
  })

  test('FE-64, FE-68: joined tokens for a late reader of a job stay below it too', async () => {
    const text = Array.from({ length: 3000 }, (_, index) => `${index},`)
    const model = talking(async function* () {
      yield* text
    })
    const { component, begun, open } = gated()
    const flow = flowBuilder()
    flow.add(model, { id: 'Giving-1' })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.add(component, { id: 'Gated-1' })
    flow.connect('Giving-1.out', 'ChatOutput-1.input_value')
    flow.connect('ChatOutput-1.message', 'Gated-1.text')
    const jobs = createBuildJobs({
      components: createRegistry([...library, model, component]),
      limits: { bufferedTokens: 8 },
    })
    const { id } = await jobs.start({ flow: flow.toJSON(), limits: { eventBytes: 20_000 } })
    await begun(1)
    // A run that is still under way is read from what it sent, not from the log.
    const { events } = await jobs.poll(id, { after: -1 })
    open(text.join(''))
    await jobs.close()
    const tokens = tokensOf(events)
    expect(tokens.length).toBeLessThan(50)
    expect(tokens.length).toBeGreaterThan(3)
    expect(tokens.join('')).toBe(text.join(''))
    for (const event of events) expect(bytesOf(event)).toBeLessThanOrEqual(20_000)
  })

  test('FE-64: an endless text exceeds valueBytes, streamed or collected', async () => {
    const model = talking(async function* () {
      for (;;) yield 'x'.repeat(1000)
    })
    for (const target of [chatOutput, textOutput]) {
      const options = { more: [model], limits: { valueBytes: 50_000 } }
      const { events, result } = await run(flowTo(model, target), options)
      expect(result.error).toMatchObject({ code: 'limit_exceeded', vertexId: 'Giving-1' })
      expect(result.error?.detail).toContain('valueBytes')
      expect(tokensOf(events)).toHaveLength(target === chatOutput ? 25 : 0)
    }
  })

  test('FE-64: the text of an error is truncated to eventBytes', async () => {
    const model = giving(() => {
      throw new RangeError('\u0001'.repeat(50_000))
    })
    const limits = { eventBytes: 20_000 }
    const { events, result } = await run(flowTo(model, textOutput), { more: [model], limits })
    expect(kinds(events)).toContain('error')
    for (const event of events) expect(bytesOf(event)).toBeLessThanOrEqual(20_000)
    expect(result.error?.code).toBe('component_failed')
  })
})
