import { describe, expect, test } from 'vitest'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { createRegistry, createResultCache, defineComponent, field, output } from '@x/flow-engine'
import { createBuildJobs } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { gated, looped, turns } from './gated.ts'
import {
  inactivated,
  join,
  library,
  pair,
  run,
  start,
  textOf,
  words,
  type Ran,
} from './dependencies.ts'

const ids = ({ events }: Pick<Ran, 'events'>, id: string) =>
  events.filter(
    ({ event, data }) =>
      event === 'end_vertex' && (data as { build_data: { id: string } }).build_data.id === id,
  )

describe('parallel passes', () => {
  test('FE-32: with parallel 2 two passes run at once, the next starts when one ends, and results keep item order', async () => {
    const gate = gated()
    const started = start(looped(gate.component, 'a b c d'), {
      parallel: 2,
      more: [gate.component],
    })
    await gate.begun(2)
    await turns()
    expect(gate.started).toEqual(['a', 'b'])
    gate.open('b')
    await gate.begun(3)
    gate.open('c')
    await gate.begun(4)
    await turns()
    expect(gate.started).toEqual(['a', 'b', 'c', 'd'])
    gate.open('d')
    gate.open('a')
    const result = await started.result
    const { vertices } = result
    expect(result.status).toBe('succeeded')
    // Each pass has a state of its own, too.
    expect(result.text('Join-after')).toBe('a1,b1,c1,d1')
    expect(vertices.get('LoopComponent-1')?.builds).toBe(5)
    expect(vertices.get('Body-1')?.builds).toBe(4)
  })

  test('FE-32: the loop has n + 1 ends, and each build is in one list of next vertices', async () => {
    const ran = await run(looped(join, 'a b c'), { parallel: 2 })
    expect(ran.result.text('Join-after')).toBe('a,b,c')
    expect(ids(ran, 'LoopComponent-1')).toHaveLength(4)
    expect(ids(ran, 'Body-1')).toHaveLength(3)
    const next = ran.events.flatMap((event) =>
      event.event === 'end_vertex' ? event.data.build_data.next_vertices_ids : [],
    )
    expect(next.filter((id) => id === 'LoopComponent-1')).toHaveLength(4)
    expect(next.filter((id) => id === 'Body-1')).toHaveLength(3)
    expect(next.filter((id) => id === 'Join-after')).toHaveLength(1)
    expect(ran.ends.slice(0, 3)).toEqual(['Words-1', 'LoopComponent-1', 'LoopComponent-1'])
    expect(ran.ends.slice(-2)).toEqual(['LoopComponent-1', 'Join-after'])
    const off = inactivated(ran.events).slice(1, -1)
    expect(off.at(-1)).toEqual(['Body-1'])
    const loops = ran.ends.slice(1, -1).flatMap((id, at) => (id === 'Body-1' ? [] : [off[at]]))
    expect(loops).toEqual([['Join-after'], ['Join-after'], ['Join-after'], ['Body-1']])
    expect(ran.events.map(({ seq }) => seq)).toEqual(ran.events.map((_, at) => at))
  })

  test('FE-32, FE-14: equal runs give equal events', async () => {
    const all = await Promise.all([1, 2].map(() => run(looped(join, 'a b c d e'), { parallel: 3 })))
    expect(all[0]?.ends).toEqual(all[1]?.ends)
  })

  test('FE-32: more parallel passes than items, one item and no items are allowed', async () => {
    for (const text of ['a b c', 'a', ' ']) {
      const { result, ends } = await run(looped(join, text), { parallel: 1000 })
      const items = text.split(' ').filter(Boolean)
      expect(result.text('Join-after')).toBe(items.join(','))
      expect(ends).toHaveLength(2 * items.length + 3)
    }
  })

  test('FE-32: parallel is an integer from 1 to 1,000', async () => {
    for (const parallel of [0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(start(looped(join, 'a'), { parallel }).result).rejects.toMatchObject({
        code: 'invalid_option',
      })
    }
  })

  test('FE-18: concurrency is a number of at least 1', async () => {
    for (const concurrency of [0, -1, 0.5, Number.NaN]) {
      await expect(start(looped(join, 'a'), { concurrency }).result).rejects.toMatchObject({
        code: 'invalid_option',
      })
    }
    expect((await start(looped(join, 'a'), { concurrency: 1 }).result).text('Join-after')).toBe('a')
  })

  test('FE-32: a pass whose body is skipped returns no result', async () => {
    const sieve = defineComponent({
      type: 'Sieve',
      inputs: { text: field.handle({ types: ['Data', 'Message'] }) },
      outputs: {
        out: output.message({
          run: ({ text }, ctx) => {
            if (textOf(text) === 'b') ctx.stop('out')
            return textOf(text)
          },
        }),
      },
    })
    const { result } = await run(looped(sieve, 'a b c'), { parallel: 3, more: [sieve] })
    expect(result.text('Join-after')).toBe('a,c')
  })

  test('FE-32: each vertex of a pass gets the item of its pass', async () => {
    const gate = gated()
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(gate.component, { id: 'Gated-1' })
    flow.add(pair, { id: 'Pair-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Gated-1.text')
      .connect('Gated-1.out', 'Pair-1.left')
      .connect('LoopComponent-1.item', 'Pair-1.right')
      .connect('Pair-1.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    const started = start(flow.toJSON(), { parallel: 3, more: [gate.component] })
    await gate.begun(3)
    for (const name of 'cab') gate.open(name)
    expect((await started.result).text('Join-after')).toBe('a1|a,b1|b,c1|c')
  })

  test('FE-32, FE-40: a child run inherits parallel', async () => {
    const gate = gated()
    const inner = looped(gate.component, 'a b')
    const outer = defineComponent({
      type: 'Outer',
      inputs: {},
      outputs: {
        out: output.message({
          run: async (_inputs, ctx) => (await ctx.runFlow(inner)).text('Join-after') ?? '',
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(outer, { id: 'Outer-1' })
    const started = start(flow.toJSON(), { parallel: 2, more: [outer, gate.component] })
    await gate.begun(2)
    gate.open('b')
    gate.open('a')
    await started.result
    expect(gate.started).toEqual(['a', 'b'])
  })

  test('FE-32: outside values are computed once, branches of the body in each pass', async () => {
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add('TextInput', { id: 'TextInput-side', values: { input_value: 's' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(join, { id: 'Join-body', values: { mark: '!' } })
    flow.add(join, { id: 'Join-hang' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Join-body.texts')
      .connect('TextInput-side.text', 'Join-body.texts')
      .connect('Join-body.out', 'Join-hang.texts')
      .connect('Join-body.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    const { ends, result } = await run(flow.toJSON(), { parallel: 2 })
    expect(ends.filter((id) => id === 'TextInput-side')).toHaveLength(1)
    expect(ends.filter((id) => id === 'Join-hang')).toHaveLength(3)
    expect(result.text('Join-after')).toBe('a+s!,b+s!,c+s!')
  })

  test('FE-32: nested loops are both parallel; the inner one starts afresh in each pass', async () => {
    const pairs = defineComponent({
      type: 'Pairs',
      inputs: { text: field.handle({ types: ['Data', 'Message'] }) },
      outputs: {
        rows: output.dataFrame({
          run: ({ text }) => ['1', '2', '3'].map((end) => ({ text: `${textOf(text)}${end}` })),
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-out' })
    flow.add(pairs, { id: 'Pairs-1' })
    flow.add(loop, { id: 'LoopComponent-in' })
    flow.add(join, { id: 'Join-in', values: { mark: '*' } })
    flow.add(join, { id: 'Join-out', values: { mark: '!' } })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-out.data')
      .connect('LoopComponent-out.item', 'Pairs-1.text')
      .connect('Pairs-1.rows', 'LoopComponent-in.data')
      .connect('LoopComponent-in.item', 'Join-in.texts')
      .connect('Join-in.out', 'LoopComponent-in.item')
      .connect('LoopComponent-in.done', 'Join-out.texts')
      .connect('Join-out.out', 'LoopComponent-out.item')
      .connect('LoopComponent-out.done', 'Join-after.texts')
    const { result, ends } = await run(flow.toJSON(), { parallel: 2, more: [pairs] })
    expect(result.text('Join-after')).toBe('a1*,a2*,a3*!,b1*,b2*,b3*!,c1*,c2*,c3*!')
    expect(ends.filter((id) => id === 'LoopComponent-in')).toHaveLength(12)
    expect(ends.filter((id) => id === 'LoopComponent-out')).toHaveLength(4)
  })

  test('FE-32: a loop over 2,000 items completes, and concurrency still limits the vertices at once', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => `w${index}`).join(' ')
    const result = await start(looped(join, text), { parallel: 50, concurrency: 3 }).result
    expect(result.text('Join-after')).toBe(text.replaceAll(' ', ','))
  })

  test('FE-32, FE-64: loopPasses limits the items; the passes end with the loop', async () => {
    const gate = gated()
    const options = { parallel: 4, mode: 'build' as const, limits: { loopPasses: 3 } }
    const flow = looped(gate.component, 'a b c d e f g')
    const started = start(flow, { ...options, more: [gate.component] })
    const result = await started.result
    expect(result.error?.code).toBe('limit_exceeded')
    expect(gate.stopped).toEqual(['a', 'b', 'c'])
    expect(result.vertices.has('Join-after')).toBe(false)
  })
})

describe('loops whose passes stay sequential', () => {
  test('FE-32, FE-63: in a resumable job', async () => {
    const gate = gated()
    const components = createRegistry([...library, gate.component])
    const jobs = createBuildJobs({ components })
    const request = { flow: looped(gate.component, 'a b'), parallel: 2 }
    const { id } = await jobs.start({ ...request, resumable: true })
    await gate.begun(1)
    await turns()
    expect(gate.started).toEqual(['a'])
    gate.open('a')
    await gate.begun(2)
    gate.open('b')
    expect((await jobs.result(id)).text('Join-after')).toBe('a1,b1')

    const second = await jobs.start(request)
    await gate.begun(4)
    gate.open('b')
    gate.open('a')
    expect((await jobs.result(second.id)).text('Join-after')).toBe('a1,b1')
    await jobs.close({ timeoutMs: 0 })
  })

  test('FE-32, FE-33: in a frozen loop with cached results', async () => {
    const cache = createResultCache()
    const flow = looped(join, 'a a b', { frozen: true })
    for (let time = 0; time < 2; time += 1) {
      const { result, ends } = await run(flow, { parallel: 3, cache })
      expect(result.text('Join-after')).toBe('a,a,b')
      expect(ends.slice(1, 5)).toEqual(['LoopComponent-1', 'Body-1', 'LoopComponent-1', 'Body-1'])
      expect(result.vertices.get('LoopComponent-1')?.usedFrozenResult).toBe(time === 1)
    }
  })

  test('FE-32: in a loop of another component without a known number of items', async () => {
    const twice = defineComponent({
      type: 'Twice',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        item: output.data({
          allowsLoop: true,
          loopTypes: ['Message'],
          run: (inputs, ctx) => {
            const back = Reflect.get(inputs, 'item') as unknown
            if (back !== null && back !== undefined) {
              ctx.state.set('back', `${textOf(ctx.state.get('back') ?? '')}${textOf(back)}`)
            }
            const count = Number(ctx.state.get('count') ?? 0) + 1
            ctx.state.set('count', count)
            if (count > 2) ctx.stop('item')
            else ctx.stop('done')
            return { text: String(count) }
          },
        }),
        done: output.message({ run: (_inputs, ctx) => textOf(ctx.state.get('back')) }),
      },
    })
    const flow = flowBuilder()
    flow.add('TextInput', { id: 'TextInput-1', values: { input_value: 'x' } })
    flow.add(twice, { id: 'Twice-1' })
    flow.add(join, { id: 'Join-body', values: { mark: '!' } })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('TextInput-1.text', 'Twice-1.text')
      .connect('Twice-1.item', 'Join-body.texts')
      .connect('Join-body.out', 'Twice-1.item')
      .connect('Twice-1.done', 'Join-after.texts')
    const { result } = await run(flow.toJSON(), { parallel: 2, more: [twice] })
    expect(result.text('Join-after')).toBe('1!2!')
  })
})
