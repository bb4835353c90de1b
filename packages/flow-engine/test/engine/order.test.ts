import { describe, expect, test } from 'vitest'
import {
  compileFlow,
  createRegistry,
  createSystemRuntime,
  defineComponent,
  field,
  output,
  runFlow,
} from '@x/flow-engine'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { conditionalRouter } from '../../src/components/built-in/flow-controls/conditional-router.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { encoded, failing, join, library, pair, run, textOf } from './dependencies.ts'

const components = createRegistry(library)

/** `a>b`: from the output of Join a to the texts of Join b. */
function joins(...edges: string[]) {
  const flow = flowBuilder()
  const known = new Set<string>()
  const node = (name: string): string => {
    if (!known.has(name)) flow.add(join, { id: `Join-${name}`, values: { mark: name } })
    known.add(name)
    return `Join-${name}`
  }
  for (const edge of edges) {
    const [from = '', to = ''] = edge.split('>')
    const [source, target] = [node(from), node(to)]
    flow.connect(`${source}.out`, `${target}.texts`)
  }
  return flow
}

const ids = (names: string): string[] => names.split('').map((name) => `Join-${name}`)

describe('order', () => {
  test(
    'FE-10: a chain of 10,000 compiles and runs without recursion',
    { tags: ['long'] },
    async () => {
      const flow = joins()
      const json = flow.toJSON()
      const { data } = joins('a>b').toJSON()
      Object.assign(data?.nodes?.[0]?.data.node.template.mark ?? {}, { value: '' })
      const [node, edge] = [data?.nodes?.[0], data?.edges?.[0]]
      if (node === undefined || edge === undefined) throw new RangeError('no node')
      const size = 10_000
      json.data = {
        nodes: Array.from({ length: size }, (_, n) => ({
          ...node,
          id: `Join-${n}`,
        })),
        edges: Array.from({ length: size - 1 }, (_, n) => ({
          ...edge,
          source: `Join-${n}`,
          target: `Join-${n + 1}`,
        })),
      }
      const result = await runFlow(compileFlow(json, { components })).result
      expect(result.status).toBe('succeeded')
      expect(result.vertices.size).toBe(size)
    },
  )

  test('FE-11: stop keeps a vertex and its ancestors', async () => {
    const { ends, events } = await run(joins('a>b', 'b>c', 'a>d').toJSON(), {
      stopComponentId: 'Join-b',
    })
    expect(ends).toEqual(ids('ab'))
    expect(events[0]?.data).toEqual({ ids: ids('a'), to_run: ids('ab') })
  })

  test('FE-11: start keeps a vertex, its descendants and all that these need', async () => {
    const { ends } = await run(joins('a>b', 'b>c', 'x>c', 'a>d').toJSON(), {
      startComponentId: 'Join-b',
    })
    expect(ends.toSorted()).toEqual(ids('abcx'))
  })

  test('FE-11: with an unknown id, or a start outside the part selected by stop, no vertex runs', async () => {
    const flow = joins('a>b', 'b>c').toJSON()
    for (const options of [
      { startComponentId: 'Join-z' },
      { stopComponentId: 'Join-a', startComponentId: 'Join-c' },
    ]) {
      const { events, result } = await run(flow, options)
      expect(events.map((event) => event.data)).toMatchObject([
        { ids: [], to_run: [] },
        { warnings: [{ code: 'unknown_slice' }] },
      ])
      expect(result).toMatchObject({ status: 'succeeded', warnings: [{ code: 'unknown_slice' }] })
    }
  })

  test('FE-12, FE-13: with a chat input only vertices connected to it are built', async () => {
    const flow = joins('a>b')
    const input = flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(join, { id: 'Join-c' })
    flow.connect(`${input}.message`, 'Join-c.texts')
    const { events, ends } = await run(flow.toJSON(), { mode: 'build' })
    expect(events[0]?.data).toEqual({
      ids: ['ChatInput-1'],
      to_run: ['Join-a', 'Join-b', 'ChatInput-1', 'Join-c'],
    })
    expect(ends).toEqual(['ChatInput-1', 'Join-c'])
  })

  test('FE-12: without a chat input every root starts', async () => {
    const { events, ends } = await run(joins('a>b', 'c>d').toJSON(), { mode: 'build' })
    expect(events[0]?.data).toMatchObject({ ids: ids('ac') })
    expect(ends).toEqual(ids('acbd'))
  })

  test('FE-13: a side input is listed by the vertex whose end triggers it', async () => {
    const flow = joins('t>p')
    const input = flow.add(chatInput, { id: 'ChatInput-1' })
    flow.connect(`${input}.message`, 'Join-p.texts')
    const { next, ends } = await run(flow.toJSON(), { mode: 'build' })
    expect(ends).toEqual(['ChatInput-1', 'Join-t', 'Join-p'])
    expect(next).toEqual({ 'ChatInput-1': ['Join-t'], 'Join-t': ['Join-p'], 'Join-p': [] })
  })

  test('FE-14: a vertex ends before any successor starts, and `end` is last', async () => {
    const started: string[] = []
    const slow = defineComponent({
      type: 'Slow',
      inputs: { texts: field.handle({ types: ['Message'], list: true }) },
      outputs: {
        out: output.message({
          run: async (_inputs, ctx) => {
            started.push(`start ${ctx.vertexId}`)
            await ctx.runtime.sleep(0)
            return 'x'
          },
        }),
      },
    })
    const flow = flowBuilder()
    for (const id of ['Slow-a', 'Slow-b', 'Slow-c']) flow.add(slow, { id })
    flow.connect('Slow-a.out', 'Slow-c.texts').connect('Slow-b.out', 'Slow-c.texts')
    const { events } = await run(flow.toJSON(), { more: [slow], runtime: createSystemRuntime() })
    expect(started).toEqual(['start Slow-a', 'start Slow-b', 'start Slow-c'])
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
    expect(events.at(-1)?.event).toBe('end')
  })

  test('FE-14: equal runs give equal event sequences', async () => {
    const flow = joins('a>b', 'a>c', 'b>d', 'c>d', 'x>d').toJSON()
    const [one, two] = [await run(flow), await run(flow)]
    expect(encoded(one.events)).toBe(encoded(two.events))
  })

  test('FE-14: `concurrency` limits how many vertices are built at once', async () => {
    let at = 0
    let most = 0
    const busy = defineComponent({
      type: 'Busy',
      inputs: {},
      outputs: {
        out: output.message({
          run: async () => {
            at += 1
            most = Math.max(most, at)
            await Promise.resolve()
            at -= 1
            return ''
          },
        }),
      },
    })
    const flow = flowBuilder()
    for (let index = 0; index < 9; index += 1) flow.add(busy)
    await run(flow.toJSON(), { more: [busy], concurrency: 2 })
    expect(most).toBe(2)
  })

  test('FE-15: a cycle that is never entered stalls, with the vertices that wait for it', async () => {
    const flow = joins('a>b', 'b>c', 'c>b', 'c>d', 'a>e').toJSON()
    const { ends, result } = await run(flow, { mode: 'build' })
    expect(ends).toEqual(ids('ae'))
    expect(result.stalled).toEqual(ids('bcd'))
    expect(result.status).toBe('succeeded')
    expect(result.warnings).toMatchObject([{ code: 'stalled_cycle' }])
  })

  test('FE-15: if all vertices are in a cycle without entry, no vertex runs', async () => {
    const { events, result } = await run(joins('a>b', 'b>a').toJSON(), { mode: 'build' })
    expect(events[0]?.data).toEqual({ ids: [], to_run: ids('ab') })
    expect(result.stalled).toEqual(ids('ab'))
  })

  test('FE-15: an entered cycle repeats until a router leaves it', async () => {
    const grow = defineComponent({
      type: 'Grow',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        out: output.message({ run: ({ text }) => `${text === null ? '' : textOf(text)}x` }),
      },
    })
    const flow = flowBuilder()
    flow.add(grow, { id: 'Grow-1' })
    flow.add(conditionalRouter, {
      id: 'ConditionalRouter-1',
      values: { match_text: 'xxx', operator: 'equals' },
    })
    flow.add(join, { id: 'Join-out' })
    flow.connect('Grow-1.out', 'ConditionalRouter-1.input_text')
    flow.connect('Grow-1.out', 'ConditionalRouter-1.true_case_message')
    flow.connect('Grow-1.out', 'ConditionalRouter-1.false_case_message')
    flow.connect('ConditionalRouter-1.false_result', 'Grow-1.text')
    flow.connect('ConditionalRouter-1.true_result', 'Join-out.texts')
    const { ends, result } = await run(flow.toJSON(), { startComponentId: 'Grow-1', more: [grow] })
    expect(ends).toEqual([
      'Grow-1',
      'ConditionalRouter-1',
      'Grow-1',
      'ConditionalRouter-1',
      'Grow-1',
      'ConditionalRouter-1',
      'Join-out',
    ])
    expect(result.text('Join-out')).toBe('xxx')
    expect(result.vertices.get('Grow-1')?.builds).toBe(3)
    expect(result.stalled).toEqual([])
  })

  test('FE-15, FE-64: loopPasses limits a cycle without an exit', async () => {
    const { result } = await run(joins('a>b', 'b>a').toJSON(), {
      startComponentId: 'Join-a',
      limits: { loopPasses: 5 },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit_exceeded' } })
    expect(result.error?.detail).toContain('loopPasses')
  })

  test('FE-15: in a cycle a merge waits for all pending inputs', async () => {
    const flow = joins('a>b', 'a>c', 'b>c', 'c>a').toJSON()
    const { ends } = await run(flow, { startComponentId: 'Join-a', limits: { loopPasses: 2 } })
    expect(ends.slice(0, 6)).toEqual(ids('abcabc'))
  })

  test('FE-7: a vertex with an edge to itself stalls, but runs once if it is the start component', async () => {
    const flow = flowBuilder()
    flow.add(pair, { id: 'Pair-1' })
    flow.connect('Pair-1.out', 'Pair-1.left')
    const { result } = await run(flow.toJSON(), { mode: 'build' })
    expect(result.stalled).toEqual(['Pair-1'])
    const entered = await run(flow.toJSON(), { startComponentId: 'Pair-1' })
    expect(entered.ends).toEqual(['Pair-1'])
    expect(entered.result.text('Pair-1')).toBe('-|-')
  })

  test('FE-16: a large value is released after its last reader has run; its event is still complete', async () => {
    const big = defineComponent({
      type: 'Big',
      inputs: {},
      outputs: { out: output.message({ run: () => 'x'.repeat(10_000) }) },
    })
    const flow = flowBuilder()
    flow.add(big, { id: 'Big-1' })
    flow.add(join, { id: 'Join-1' })
    flow.connect('Big-1.out', 'Join-1.texts')
    const { result, events } = await run(flow.toJSON(), { more: [big] })
    expect(result.vertices.get('Big-1')?.outputs).toEqual({})
    expect(result.text('Join-1')).toHaveLength(10_000)
    const end = events.find((event) => event.event === 'end_vertex')
    expect(JSON.stringify(end?.data)).toContain(`${'x'.repeat(6000)}...`)
  })

  test('FE-16: a large value is kept if it is reported, frozen or unread', async () => {
    const big = defineComponent({
      type: 'Big',
      inputs: {},
      outputs: { out: output.message({ run: () => 'x'.repeat(10_000) }) },
    })
    const flow = flowBuilder()
    flow.add(big, { id: 'Big-read' })
    flow.add(big, { id: 'Big-frozen', frozen: true })
    flow.add(big, { id: 'Big-reported' })
    flow.add(big, { id: 'Big-unread' })
    flow.add(join, { id: 'Join-1' })
    for (const name of ['read', 'frozen', 'reported']) {
      flow.connect(`Big-${name}.out`, 'Join-1.texts')
    }
    const options = { more: [big], outputComponent: 'Big-reported' }
    const { result } = await run(flow.toJSON(), options)
    const kept = ['read', 'frozen', 'reported', 'unread'].filter(
      (name) => result.text(`Big-${name}`)?.length === 10_000,
    )
    expect(kept).toEqual(['frozen', 'reported', 'unread'])
  })

  test('FE-17: in mode run the first failure aborts all vertices, in a build other branches continue', async () => {
    const flow = joins('a>b')
    flow.add(failing, { id: 'Failing-1' })
    flow.add(join, { id: 'Join-z' })
    flow.connect('Failing-1.out', 'Join-z.texts').connect('Join-b.out', 'Join-z.texts')
    const inRun = await run(flow.toJSON())
    expect(inRun.events.slice(-3).map((event) => event.event)).toEqual([
      'error',
      'end_vertex',
      'end',
    ])
    expect(inRun.ends).not.toContain('Join-b')
    const inBuild = await run(flow.toJSON(), { mode: 'build' })
    expect(inBuild.ends).toContain('Join-b')
    expect(inBuild.ends).not.toContain('Join-z')
    expect(inBuild.result).toMatchObject({ status: 'failed', stalled: [] })
  })
})
