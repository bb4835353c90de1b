import { describe, expect, test } from 'vitest'
import {
  createMessage,
  defineComponent,
  field,
  FlowError,
  output,
  type Component,
  type ComponentContext,
  type FlowJson,
  type Tool,
} from '@x/flow-engine'
import { createRunMessages } from '../../src/graph/messages/memory-messages.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { failing, given, join, pair, run, textOf, words } from './dependencies.ts'

function component(type: string, make: Component['outputs'][string]['run']): Component {
  return defineComponent({
    type,
    inputs: { text: field.handle({ types: ['Message', 'Data'] }) },
    outputs: { out: output.message({ run: make as never }) },
  })
}

function alone(one: Component): FlowJson {
  const flow = flowBuilder()
  flow.add(one, { id: `${one.type}-1` })
  return flow.toJSON()
}

describe('the context of a component (FE-40)', () => {
  test('FE-40: tokens go to the last sent message; an update can leave the stored row unchanged', async () => {
    const talking = component('Talking', async (_inputs, ctx) => {
      const sent = await ctx.sendMessage(createMessage('one'))
      ctx.token('chunk')
      ctx.token('')
      const changed = createMessage({ text: 'two', id: given(sent.id) })
      await ctx.updateMessage(changed, { store: false })
      return String((await given(ctx.services.messages).list({}))[0]?.text)
    })
    const { events, result } = await run(alone(talking), { more: [talking] })
    const [first, second] = events.flatMap((event) =>
      event.event === 'add_message' ? [event.data] : [],
    )
    expect([first?.text, second?.text]).toEqual(['one', 'two'])
    expect(second?.id).toBe(first?.id)
    expect(second?.timestamp).toBe(first?.timestamp)
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data] : []))
    expect(tokens).toEqual([{ chunk: 'chunk', id: first?.id }])
    expect(result.text('Talking-1')).toBe('one')
  })

  test('FE-40: a removed message disappears from the rows and the result', async () => {
    const messages = createRunMessages()
    const removing = component('Removing', async (_inputs, ctx) => {
      const { id = '' } = await ctx.sendMessage(createMessage('gone'))
      await ctx.removeMessage('nobody')
      await ctx.removeMessage(id)
      return 'done'
    })
    const { events, result } = await run(alone(removing), {
      more: [removing],
      services: { messages },
    })
    expect(events.map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'add_message',
      'remove_message',
      'end_vertex',
      'end',
    ])
    expect(await messages.list({})).toEqual([])
    expect(result.messages).toEqual([])
  })

  test('FE-40: the usage of a child run is added; nested runs have a limit', async () => {
    const counting = component('Counting', (_inputs, ctx) => {
      ctx.usage({ inputTokens: 2, outputTokens: 3 })
      return 'x'
    })
    const inner = alone(counting)
    const outer = component('Outer', async (_inputs, ctx) => {
      ctx.usage({ inputTokens: 1, outputTokens: 1 })
      return (await ctx.runFlow(inner)).status
    })
    const { result } = await run(alone(outer), { more: [outer, counting] })
    expect(result.usage).toEqual({ inputTokens: 3, outputTokens: 4 })

    let depth = 0
    const nested: Component = component('Nested', async (_inputs, ctx) => {
      depth += 1
      const child = await ctx.runFlow(self)
      if (child.error !== undefined) throw child.error
      return child.status
    })
    const self = alone(nested)
    const deep = await run(self, { more: [nested] })
    expect(deep.result.error).toMatchObject({ code: 'limit_exceeded' })
    expect(deep.result.error?.detail).toContain('depth')
    expect(depth).toBe(9)
  })

  test('FE-70: a FlowError keeps its code', async () => {
    const own = component('Own', () => {
      throw new FlowError('model_failed', 'no model')
    })
    const { result } = await run(alone(own), { more: [own] })
    expect(result.error).toMatchObject({
      code: 'model_failed',
      detail: 'Error building Component Own: \n\nno model',
      vertexId: 'Own-1',
    })
  })
})

describe('a component called as a tool (FE-43)', () => {
  async function called(
    make: Component['outputs'][string]['run'],
    call: (tool: Tool, ctx: ComponentContext) => unknown,
  ) {
    const messages = createRunMessages()
    const speaking = defineComponent({
      type: 'Speaking',
      inputs: { word: field.text({ toolMode: true }), fixed: field.text({ default: 'f' }) },
      outputs: { out: output.message({ run: make as never }) },
    })
    const using = defineComponent({
      type: 'Using',
      inputs: { tools: field.tools({}) },
      outputs: {
        out: output.message({
          run: async ({ tools }, ctx) => JSON.stringify((await call(given(tools[0]), ctx)) ?? null),
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(speaking, { id: 'Speaking-1', toolMode: true })
    flow.add(using, { id: 'Using-1' })
    flow.connect('Speaking-1.component_as_tool', 'Using-1.tools')
    const { result, events } = await run(flow.toJSON(), {
      more: [speaking, using],
      services: { messages },
    })
    const rows = await messages.list({ includeErrors: true })
    return { answer: JSON.parse(result.text('Using-1') ?? 'null') as unknown, events, rows }
  }
  const { signal } = new AbortController()

  test('FE-43: its messages, their updates, tokens and removals are muted', async () => {
    const { answer, events, rows } = await called(
      async (_inputs, ctx) => {
        const sent = await ctx.sendMessage(createMessage({ text: 'said', id: 'm' }))
        ctx.token('said', 'm')
        await ctx.updateMessage(sent)
        await ctx.removeMessage('m')
        return `${ctx.asTool}`
      },
      (tool) => tool.call({}, { signal }),
    )
    expect(answer).toBe('true')
    expect(rows).toEqual([])
    expect(events.map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'end_vertex',
      'end_vertex',
      'end',
    ])
  })

  test('FE-43: it cannot remove a message of the run', async () => {
    const { rows } = await called(
      async (_inputs, ctx) => {
        await ctx.removeMessage('kept')
        return ''
      },
      async (tool, ctx) => {
        await ctx.sendMessage(createMessage({ text: 'mine', id: 'kept', sessionId: 's' }))
        return tool.call({}, { signal })
      },
    )
    expect(rows).toMatchObject([{ id: 'kept' }])
  })

  test('FE-43: arguments for undeclared inputs are ignored; an exception becomes its answer', async () => {
    const told = await called(
      (inputs) => JSON.stringify(inputs),
      (tool) => tool.call({ word: 'w', fixed: 'changed' }, { signal }),
    )
    expect(JSON.parse(String(told.answer))).toMatchObject({ word: 'w', fixed: 'f' })
    const failed = await called(
      () => {
        throw new RangeError('it broke')
      },
      (tool) => tool.call({}, { signal }),
    )
    expect(failed.answer).toBe('it broke')
  })

  test('FE-43, FE-40: the signal of a call reaches the component, and ends the call', async () => {
    const stop = new AbortController()
    const { answer } = await called(
      (_inputs, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
          stop.abort(new RangeError('enough'))
        }),
      async (tool) => {
        try {
          return await tool.call({}, { signal: stop.signal })
        } catch (error) {
          return { rejected: (error as Error).message }
        }
      },
    )
    expect(answer).toEqual({ rejected: 'enough' })
  })
})

describe('decisions over several builds (FE-30)', () => {
  /** Excludes, includes or says nothing, by the number of its build. */
  const deciding = (calls: readonly ('exclude' | 'include' | 'none')[]) =>
    defineComponent({
      type: 'Deciding',
      inputs: { text: field.handle({ types: ['Message', 'Data'] }) },
      outputs: {
        out: output.message({
          run: ({ text }, ctx) => {
            const call = calls[ctx.build - 1] ?? 'none'
            if (call !== 'none') ctx[call]('out')
            return textOf(text)
          },
        }),
        back: output.message({ run: () => 'again' }),
      },
    })
  async function rounds(...calls: ('exclude' | 'include' | 'none')[]) {
    const one = deciding(calls)
    const turning = component('Turning', (_inputs, ctx) => {
      if (ctx.build === calls.length) ctx.stop('out')
      return 'again'
    })
    const flow = flowBuilder()
    flow.add(one, { id: 'Deciding-1' })
    flow.add(turning, { id: 'Turning-1' })
    flow.add(join, { id: 'Join-seen' })
    flow
      .connect('Deciding-1.back', 'Turning-1.text')
      .connect('Turning-1.out', 'Deciding-1.text')
      .connect('Deciding-1.out', 'Join-seen.texts')
    const { ends, events } = await run(flow.toJSON(), {
      more: [one, turning],
      startComponentId: 'Deciding-1',
    })
    const last = events
      .flatMap((event) => (event.event === 'end_vertex' ? [event.data.build_data] : []))
      .findLast(({ id }) => id === 'Deciding-1')
    return { ran: ends.includes('Join-seen'), off: last?.inactivated_vertices ?? [] }
  }

  test('FE-30: an exclusion lasts until the same vertex decides again', async () => {
    expect(await rounds('none')).toEqual({ ran: true, off: [] })
    expect(await rounds('exclude', 'none')).toEqual({ ran: false, off: ['Join-seen'] })
    expect(await rounds('exclude', 'include')).toEqual({ ran: true, off: [] })
  })

  test('FE-30: of exclude and include in one build the last call wins', async () => {
    const both = defineComponent({
      type: 'Both',
      inputs: {},
      outputs: {
        out: output.message({
          run: (_inputs, ctx) => {
            ctx.exclude('out')
            ctx.include('out')
            return 'x'
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(both, { id: 'Both-1' })
    flow.add(join, { id: 'Join-1' })
    flow.connect('Both-1.out', 'Join-1.texts')
    expect((await run(flow.toJSON(), { more: [both] })).ends).toEqual(['Both-1', 'Join-1'])
  })
})

describe('after a failure (FE-61)', () => {
  test('FE-61, FE-32: a loop whose body needs a vertex that failed outside does not continue', async () => {
    const flow = flowBuilder()
    const slowly = component('Slowly', async () => {
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve()
      throw new RangeError('late')
    })
    flow.add(words, { id: 'Words-1', values: { text: 'a b' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(slowly, { id: 'Slowly-1' })
    flow.add(pair, { id: 'Pair-1' })
    flow.add(join, { id: 'Join-after' })
    flow.add(join, { id: 'Join-other' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Pair-1.left')
      .connect('Slowly-1.out', 'Pair-1.right')
      .connect('Pair-1.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    for (const parallel of [1, 2]) {
      const { ends, result } = await run(flow.toJSON(), {
        more: [slowly],
        mode: 'build',
        parallel,
      })
      expect(ends).toContain('Slowly-1!')
      expect(ends).toContain('Join-other')
      expect(ends).not.toContain('Pair-1')
      expect(ends).not.toContain('Join-after')
      expect(result).toMatchObject({ status: 'failed', stalled: [] })
    }
  })

  test('FE-61: in an entered cycle no vertex is built after a failure', async () => {
    const once = component('Once', ({ text }, ctx) => {
      if (ctx.build > 1) throw new RangeError('second time')
      return textOf(text)
    })
    const flow = flowBuilder()
    flow.add(once, { id: 'Once-1' })
    flow.add(join, { id: 'Join-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Once-1.out', 'Join-1.texts')
      .connect('Join-1.out', 'Once-1.text')
      .connect('Join-1.out', 'Join-after.texts')
    const { ends, result } = await run(flow.toJSON(), {
      more: [once],
      mode: 'build',
      startComponentId: 'Once-1',
    })
    expect(ends).toEqual(['Once-1', 'Join-1', 'Once-1!'])
    expect(result).toMatchObject({ status: 'failed', stalled: [] })
  })

  test('FE-18: the error of a run is that of the first failure', async () => {
    const later = component('Later', async () => {
      await Promise.resolve()
      throw new RangeError('second')
    })
    const flow = flowBuilder()
    flow.add(failing, { id: 'Failing-1' })
    flow.add(later, { id: 'Later-1' })
    const { result } = await run(flow.toJSON(), { more: [later], mode: 'build' })
    expect(result.error?.detail).toContain('it broke')
    expect(result.vertices.get('Later-1')?.error?.detail).toContain('second')
  })
})
