import { describe, expect, test } from 'vitest'
import { compileFlow, createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { conditionalRouter } from '../../src/components/built-in/flow-controls/conditional-router.ts'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { inactivated, join, library, run, textOf, words } from './dependencies.ts'
import { drawn, routing } from './routing-kit.ts'

type Takes = Readonly<Record<string, string>>

/** The vertices that ran, without those before the routers. */
async function ran(drawing: string, takes: Takes, options: Parameters<typeof run>[1] = {}) {
  const { result } = await run(drawn(drawing, takes).toJSON(), { more: routing, ...options })
  expect(result.status).toBe('succeeded')
  return [...result.vertices.keys()].filter((id) => !/^[IRQ]|^tool|^text/.test(id)).toSorted()
}

const join5 = 'I>R R.t>P1 P1>J R.f>P2 P2>J'

/** The examples of the rules: a drawing, what the routers take, and what runs behind them. */
const examples: readonly (readonly [string, string, Takes, string])[] = [
  ['1 guardrail', 'I>R R.t>O1 R.f>Agent tool>Agent Agent>O2', { R: 't' }, 'O1'],
  ['1 guardrail', 'I>R R.t>O1 R.f>Agent tool>Agent Agent>O2', { R: 'f' }, 'Agent O2'],
  ['2 prompt reads the question', 'I>R R.t>P1 I>P1 R.f>P2 I>P2', { R: 't' }, 'P1'],
  ['2 prompt reads the question', 'I>R R.t>P1 I>P1 R.f>P2 I>P2', { R: 'f' }, 'P2'],
  ['3 constant', 'I>R R.t>Model text>Model', { R: 't' }, 'Model'],
  ['3 constant', 'I>R R.t>Model text>Model', { R: 'f' }, ''],
  ['4 no route', 'I>R R.t>P1 I>P1 R.f>P2 I>P2', { R: 'none' }, ''],
  ['5 join', join5, { R: 't' }, 'J P1'],
  ['5 join', join5, { R: 'f' }, 'J P2'],
  ['6 join with the question', `${join5} I>J`, { R: 't' }, 'J P1'],
  ['6 join with the question', `${join5} I>J`, { R: 'f' }, 'J P2'],
  ['7 join and tail', `${join5} J>Model Model>O`, { R: 't' }, 'J Model O P1'],
  ['7 join and tail', `${join5} J>Model Model>O`, { R: 'f' }, 'J Model O P2'],
  ['8 one branch only', 'I>R R.t>P P>J I>J', { R: 't' }, 'J P'],
  ['8 one branch only', 'I>R R.t>P P>J I>J', { R: 'f' }, ''],
  ['9 tool in a branch', 'I>R R.t>P P>Agent I>Agent R.f>O2', { R: 't' }, 'Agent P'],
  ['9 tool in a branch', 'I>R R.t>P P>Agent I>Agent R.f>O2', { R: 'f' }, 'O2'],
  ['10 two routers', 'I>R I>Q R.t>J Q.t>J', { R: 't', Q: 't' }, 'J'],
  ['10 two routers', 'I>R I>Q R.t>J Q.t>J', { R: 't', Q: 'f' }, ''],
  ['10 two routers', 'I>R I>Q R.t>J Q.t>J', { R: 'f', Q: 't' }, ''],
  ['11 nested', 'I>R R.t>Q Q.t>A A>J Q.f>B B>J R.f>C C>J', { R: 't', Q: 't' }, 'A J'],
  ['11 nested', 'I>R R.t>Q Q.t>A A>J Q.f>B B>J R.f>C C>J', { R: 't', Q: 'f' }, 'B J'],
  ['11 nested', 'I>R R.t>Q Q.t>A A>J Q.f>B B>J R.f>C C>J', { R: 'f', Q: 't' }, 'C J'],
  ['12 fallback', 'I>R I>Q R.t>J R.f>M M>J Q.t>M Q.f>J', { R: 'f', Q: 'f' }, 'J'],
  ['12 fallback', 'I>R I>Q R.t>J R.f>M M>J Q.t>M Q.f>J', { R: 't', Q: 't' }, 'J'],
  ['13 both outputs to one output', 'I>R R.t>O R.f>O', { R: 't' }, 'O'],
  ['13 both outputs to one output', 'I>R R.t>O R.f>O', { R: 'f' }, 'O'],
]

describe('routing', () => {
  test.each(examples)('FF-1, FF-2, FF-5, FF-8: %s (%s, %j)', async (_, drawing, takes, right) => {
    expect((await ran(drawing, takes)).join(' ')).toBe(right)
    expect((await ran(drawing, takes, { mode: 'build' })).join(' ')).toBe(right)
  })

  test('FF-4: an edge of a router that was cut delivers nothing, and lists have the live values', async () => {
    const text = async (drawing: string, takes: Takes) =>
      (await run(drawn(drawing, takes).toJSON(), { more: routing })).result.text('J')
    expect(await text(`${join5} I>J`, { R: 't' })).toBe('J(P1(Rt(I)) I)')
    const fallback = 'I>R I>Q R.t>J R.f>M M>J Q.t>M Q.f>J'
    expect(await text(fallback, { R: 'f', Q: 'f' })).toBe('J(Qf(I))')
  })

  test('FF-3: a vertex is skipped as soon as it is cut, before its other sources are built', async () => {
    let release = (): void => undefined
    const wait = new Promise<void>((resolve) => (release = resolve))
    const slow = defineComponent({
      type: 'Slow',
      inputs: {},
      outputs: { out: output.message({ run: () => wait.then(() => 'slow') }) },
    })
    const flow = drawn('I>R R.t>A A>J R.f>J J>O')
    flow.add(slow, { id: 'Slow-1' })
    flow.connect('Slow-1.out', 'A.texts')
    const done = defineComponent({
      type: 'Done',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: { out: output.message({ run: ({ text }) => (release(), textOf(text)) }) },
    })
    flow.add(done, { id: 'Done-1' })
    flow.connect('O.out', 'Done-1.text')
    const { result } = await run(flow.toJSON(), {
      more: [...routing, slow, done],
      tweaks: { R: { take: 'f' } },
    })
    expect(result.text('Done-1')).toBe('O(J(Rf(I)))')
  })

  test('FF-11: strict loses the joins', async () => {
    expect(await ran(join5, { R: 't' }, { compat: 'strict' })).toEqual(['P1'])
    expect(await ran(`${join5} I>J`, { R: 'f' }, { compat: 'strict' })).toEqual(['P2'])
  })

  test('FF-9: a stop reports the cut vertices with one edge, an exclusion all of the cut until decided again', async () => {
    const drawing = 'I>R R.t>O1 R.f>A tool>A A>B B>O2'
    const off = async (how: string) => {
      const { events } = await run(drawn(drawing, {}, how).toJSON(), { more: routing })
      return inactivated(events)
    }
    expect(await off('stop')).toEqual([[], [], ['B', 'O2'], []])
    const all = ['A', 'B', 'O2']
    expect(await off('exclude')).toEqual([[], [], all, all])
  })

  test('FF-4: stored values stand in for dead edges; a required field without one ends the way', async () => {
    const two = (input_text: string) => {
      const flow = drawn('I>R R.t>P')
      const values = { match_text: 'x', true_case_message: 'stored', input_text }
      flow.add(conditionalRouter, { id: 'Q-1', values: { ...values, operator: 'equals' } })
      flow.add(join, { id: 'Join-1' })
      flow.connect('R.f', 'Q-1.input_text').connect('P.out', 'Q-1.true_case_message')
      flow.connect('Q-1.true_result', 'Join-1.texts')
      return flow
    }
    const at = async (take: string, input_text = '') => {
      const tweaks = { R: { take } }
      return (await run(two(input_text).toJSON(), { more: routing, tweaks })).result
    }
    const nothing = await at('t')
    expect([...nothing.vertices.keys()].toSorted()).toEqual(['I', 'P', 'R'])
    expect(nothing.status).toBe('succeeded')
    expect((await at('t', 'x')).text('Join-1')).toBe('P(Rt(I))')
    const flow = two('')
    const result = await run(flow.toJSON(), {
      more: routing,
      tweaks: { R: { take: 'f' }, 'Q-1': { match_text: 'Rf(I)' } },
    })
    expect(result.result.text('Join-1')).toBe('stored')
  })

  test('FF-4: a field whose edge is dead resolves the variable that its node names', async () => {
    const shown = defineComponent({
      type: 'Shown',
      inputs: {
        name: field.text({ displayName: 'Name' }),
        link: field.handle({ types: ['Message'] }),
      },
      outputs: { out: output.message({ run: ({ name }) => `name=${name}` }) },
    })
    const flow = drawn('I>R R.t>A')
    flow.add(shown, { id: 'Shown-1', values: { name: 'USER_NAME' } })
    flow.connect('R.f', 'Shown-1.name').connect('R.t', 'Shown-1.link')
    const json = flow.toJSON()
    const node = json.data?.nodes?.find(({ id }) => id === 'Shown-1')
    Object.assign(node?.data.node.template.name ?? {}, { load_from_db: true })
    const options = { more: [...routing, shown], variables: { USER_NAME: 'Anna' } }
    expect((await run(json, options)).result.vertices.get('Shown-1')?.outputs.out).toMatchObject({
      text: 'name=Anna',
    })
  })
})

describe('routing in loops and cycles', () => {
  const looped = () => {
    const flow = drawn('R.t>A R.f>B')
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    return flow
  }

  test('FF-6: a pass whose edge back is dead has no result', async () => {
    const picky = defineComponent({
      type: 'Picky',
      inputs: { item: field.handle({ types: ['Data', 'Message'] }) },
      outputs: {
        good: output.message({ run: ({ item }) => textOf(item) }),
        bad: output.message({ run: ({ item }) => textOf(item) }),
      },
      prepare: ({ item }, ctx) => ctx.stop(textOf(item) === 'b' ? 'good' : 'bad'),
    })
    const flow = looped()
    flow.add(picky, { id: 'Picky-1' })
    flow.add(join, { id: 'Join-body' })
    flow.add(join, { id: 'Join-bad' })
    flow
      .connect('LoopComponent-1.item', 'Picky-1.item')
      .connect('LoopComponent-1.item', 'Join-body.texts')
      .connect('Picky-1.good', 'Join-body.texts')
      .connect('Picky-1.bad', 'Join-bad.texts')
      .connect('Join-body.out', 'LoopComponent-1.item')
    for (const parallel of [1, 3]) {
      const { result, ends } = await run(flow.toJSON(), { more: [...routing, picky], parallel })
      expect(result.text('Join-after')).toBe('a+a,c+c')
      expect(ends.filter((id) => id === 'Join-body')).toHaveLength(2)
      expect(ends.filter((id) => id === 'Join-bad')).toHaveLength(1)
    }
  })

  test('FF-1: a router before a loop cuts vertices of its body in every pass', async () => {
    const flow = looped()
    flow.add(join, { id: 'Join-body' })
    flow.add(join, { id: 'Join-side' })
    flow
      .connect('LoopComponent-1.item', 'Join-body.texts')
      .connect('Join-body.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.item', 'Join-side.texts')
      .connect('R.f', 'Join-side.texts')
    const open = await run(flow.toJSON(), { more: routing, tweaks: { R: { take: 'f' } } })
    expect(open.ends.filter((id) => id === 'Join-side')).toHaveLength(3)
    const cut = await run(flow.toJSON(), { more: routing })
    expect(cut.ends.filter((id) => id === 'Join-side')).toHaveLength(0)
    expect(cut.result.text('Join-after')).toBe('a,b,c')
  })

  test('FF-6: in a cycle the last decision counts', async () => {
    const flow = flowBuilder()
    const counting = defineComponent({
      type: 'Counting',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        again: output.message({ run: () => 'again' }),
        over: output.message({ run: (_inputs, ctx) => `over ${ctx.build}` }),
      },
      prepare: (_inputs, ctx) => ctx.stop(ctx.build < 3 ? 'over' : 'again'),
    })
    flow.add(join, { id: 'Join-1' })
    flow.add(counting, { id: 'Counting-1' })
    for (const id of ['Join-end', 'Join-side', 'Join-draft']) flow.add(join, { id })
    flow
      .connect('Join-1.out', 'Counting-1.text')
      .connect('Counting-1.again', 'Join-1.texts')
      .connect('Counting-1.over', 'Join-end.texts')
      .connect('Counting-1.again', 'Join-side.texts')
      .connect('Join-1.out', 'Join-side.texts')
      .connect('Join-1.out', 'Join-draft.texts')
    const { result, ends } = await run(flow.toJSON(), {
      more: [counting],
      startComponentId: 'Join-1',
    })
    expect(ends.filter((id) => id === 'Counting-1')).toHaveLength(3)
    expect(result.text('Join-end')).toBe('over 3')
    expect(result.vertices.has('Join-side')).toBe(false)
    expect(result.vertices.has('Join-draft')).toBe(true)
  })
})

test('FF-12: the searches of a decision visit each edge once and are kept with the plan', async () => {
  const { Cuts } = await import('../../src/graph/schedule/cuts.ts')
  const { graphOf } = await import('../../src/graph/plan/compile.ts')
  const side = Array.from(
    { length: 50 },
    (_, at) => `I>R${at} R${at}.t>A${at} I>A${at} R${at}.f>B${at}`,
  )
  const plan = compileFlow(drawn(side.join(' ')).toJSON(), {
    components: createRegistry([...library, ...routing]),
  })
  const graph = graphOf(plan)
  if (graph === undefined) throw new RangeError('no graph')
  const searched = (): number => {
    const cuts = new Cuts(graph, false)
    for (const vertex of graph.vertices) {
      const dead = new Set(vertex.id.startsWith('R') ? ['f'] : [])
      cuts.behind({ vertex, outputs: dead, dead })
    }
    return cuts.searched
  }
  expect(searched()).toBeLessThanOrEqual(graph.edges.length)
  expect(searched()).toBe(0)
})
