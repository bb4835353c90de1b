import { describe, expect, test } from 'vitest'
import {
  createMessage,
  defaultRunLimits,
  defineComponent,
  output,
  type ComponentContext,
} from '@x/flow-engine'
import { completeLimits } from '../../src/graph/plan/limits.ts'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated } from './gated.ts'
import { failing, run, start, kinds } from './dependencies.ts'

function working(work: (ctx: ComponentContext) => unknown) {
  return defineComponent({
    type: 'Working',
    inputs: {},
    outputs: { out: output.any({ types: ['Message'], run: (_inputs, ctx) => work(ctx) }) },
  })
}

describe('cancelling a run (FE-60)', () => {
  test('FE-60: signals fire synchronously within the call', async () => {
    const gate = gated({ deaf: true })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const started = start(flow.toJSON(), { more: [gate.component] })
    await gate.begun(1)
    expect(gate.stopped).toEqual([])
    started.cancel()
    expect(gate.stopped).toEqual(['-'])
    expect((await started.result).status).toBe('cancelled')
  })

  test('FE-60: a tool that ends because of the cancel sends no more messages', async () => {
    let calling = (): void => undefined
    const called = new Promise<void>((resolve) => {
      calling = resolve
    })
    const tool = {
      name: 'waits',
      description: '',
      parameters: {},
      vertexId: 'Tool-1',
      call: (_args: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          calling()
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }
    const working1 = working(async (ctx) => {
      try {
        return await ctx.callTool(tool, {})
      } finally {
        await ctx.sendMessage(createMessage('too late'))
      }
    })
    const flow = flowBuilder()
    flow.add(working1, { id: 'Working-1' })
    const started = start(flow.toJSON(), { more: [working1] })
    await called
    started.cancel()
    const result = await started.result
    expect(kinds(await collectEvents(started))).toEqual(['vertices_sorted', 'build_start', 'end'])
    expect(result.messages).toEqual([])
  })
})

describe('limits of a run (FE-64)', () => {
  test('FE-64: a run over its limit aborts the signals of all running vertices', async () => {
    const gate = gated()
    const chatty = working(async (ctx) => {
      await gate.begun(1)
      for (let index = 0; index < 20; index += 1) await ctx.sendMessage(createMessage('x'))
      return ''
    })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    flow.add(chatty, { id: 'Working-1' })
    const { result } = await run(flow.toJSON(), {
      mode: 'build',
      more: [gate.component, chatty],
      limits: { events: 10 },
    })
    expect(result.error?.code).toBe('limit_exceeded')
    expect(gate.stopped).toEqual(['-'])
  })

  test('FE-64: a message that grows beyond eventBytes fails its vertex', async () => {
    const growing = working(async (ctx) => {
      const sent = await ctx.sendMessage(createMessage('short'))
      await ctx.updateMessage({ ...sent, text: 'x'.repeat(20_000) })
      return ''
    })
    const flow = flowBuilder()
    flow.add(growing, { id: 'Working-1' })
    const { result, events } = await run(flow.toJSON(), {
      more: [growing],
      limits: { eventBytes: 10_000 },
    })
    expect(result.error).toMatchObject({ code: 'limit_exceeded', vertexId: 'Working-1' })
    expect(kinds(events)).toEqual(['vertices_sorted', 'add_message', 'error', 'end_vertex', 'end'])
  })

  test('FE-64: an undefined limit falls back to that of the service, or the default', () => {
    // As JavaScript, and JSON that a spread has gone through, may give it.
    const given = { loopPasses: undefined, items: 7 } as object
    expect(completeLimits(given)).toEqual({ ...defaultRunLimits, items: 7 })
    const service = completeLimits({ loopPasses: 3, items: 5 })
    expect(completeLimits(given, service)).toEqual({ ...defaultRunLimits, loopPasses: 3, items: 7 })
  })
})

describe('messages that cannot be stored (FE-61)', () => {
  test('FE-61: the failure of a vertex is reported even then', async () => {
    const refuses = () => Promise.reject(new Error('no room'))
    const messages = { add: refuses, update: refuses, remove: refuses, list: async () => [] }
    const flow = flowBuilder()
    flow.add(failing, { id: 'Failing-1' })
    for (const mode of ['run', 'build'] as const) {
      const { result, events } = await run(flow.toJSON(), { mode, services: { messages } })
      expect(kinds(events)).toEqual(['vertices_sorted', 'error', 'end_vertex', 'end'])
      expect(result.error?.detail).toContain('it broke')
    }
  })
})
