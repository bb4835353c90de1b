import { describe, expect, test } from 'vitest'
import { createResultCache, defineComponent, field, output } from '@x/flow-engine'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { conditionalRouter } from '../../src/components/built-in/flow-controls/conditional-router.ts'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { flowBuilder, type FlowBuilder } from '@x/flow-engine/testing'
import { inactivated, join, pair, run, start, textOf, words } from './dependencies.ts'

/** Leads on to `yes` or `no`, by its field. */
const fork = defineComponent({
  type: 'Fork',
  inputs: {
    text: field.handle({ types: ['Message'] }),
    take: field.text({ default: 'yes' }),
    how: field.text(),
  },
  outputs: {
    yes: output.message({ run: () => 'y' }),
    no: output.message({ run: () => 'n' }),
  },
  prepare({ take, how }, ctx) {
    const other = take === 'yes' ? 'no' : 'yes'
    if (how === 'exclude') ctx.exclude(other)
    else ctx.stop(other)
  },
})
const more = [fork]

function diamond(how: string): FlowBuilder {
  const flow = flowBuilder()
  flow.add(fork, { id: 'Fork-1', values: { how } })
  for (const name of 'abm') flow.add(join, { id: `Join-${name}`, values: { mark: name } })
  flow.connect('Fork-1.yes', 'Join-a.texts').connect('Fork-1.no', 'Join-b.texts')
  return flow.connect('Join-a.out', 'Join-m.texts').connect('Join-b.out', 'Join-m.texts')
}

describe('branches', () => {
  test('FE-30: a stopped branch is not built, and the merge after it runs once', async () => {
    const { ends, result, events } = await run(diamond('stop').toJSON(), { more })
    expect(ends).toEqual(['Fork-1', 'Join-a', 'Join-m'])
    expect(result.text('Join-m')).toBe('yam')
    expect(result.vertices.has('Join-b')).toBe(false)
    expect(inactivated(events)).toEqual([['Join-b'], [], []])
  })

  test('FE-30: an exclusion is also reported by each later vertex', async () => {
    const { events } = await run(diamond('exclude').toJSON(), { more })
    expect(inactivated(events)).toEqual([['Join-b'], ['Join-b'], ['Join-b']])
  })

  test('FE-30: strict mode excludes every descendant too', async () => {
    const { ends, events } = await run(diamond('exclude').toJSON(), { more, compat: 'strict' })
    expect(ends).toEqual(['Fork-1', 'Join-a'])
    expect(inactivated(events)[0]).toEqual(['Join-b', 'Join-m'])
  })

  test('FF-2: a third live source of a merge is pulled in', async () => {
    const flow = diamond('stop')
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(textInput, { id: 'TextInput-1', values: { input_value: 't' } })
    flow.connect('ChatInput-1.message', 'Fork-1.text').connect('TextInput-1.text', 'Join-m.texts')
    const { ends, result, next } = await run(flow.toJSON(), { more, mode: 'build' })
    expect(ends).toEqual(['ChatInput-1', 'Fork-1', 'Join-a', 'TextInput-1', 'Join-m'])
    expect(next['Fork-1']).toEqual(['Join-a', 'TextInput-1'])
    expect(result.text('Join-m')).toBe('ya+tm')
  })

  test('FF-4: a handle whose edges are all dead counts as not connected', async () => {
    const flow = flowBuilder()
    flow.add(fork, { id: 'Fork-1' })
    flow.add(pair, { id: 'Pair-1' })
    flow.connect('Fork-1.yes', 'Pair-1.left').connect('Fork-1.no', 'Pair-1.right')
    expect((await run(flow.toJSON(), { more })).result.text('Pair-1')).toBe('y|-')
  })

  test('FE-30: `start` reverses a stop', async () => {
    const again = defineComponent({
      type: 'Again',
      inputs: {},
      outputs: {
        out: output.message({
          run: (_inputs, ctx) => {
            ctx.stop('out')
            ctx.start('out')
            return 'x'
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(again, { id: 'Again-1' })
    flow.add(join, { id: 'Join-1' })
    flow.connect('Again-1.out', 'Join-1.texts')
    expect((await run(flow.toJSON(), { more: [again] })).ends).toEqual(['Again-1', 'Join-1'])
  })

  test('FE-40: an unknown output is an error of the component', async () => {
    const wrong = defineComponent({
      type: 'Wrong',
      inputs: {},
      outputs: {
        out: output.message({
          run: (_inputs, ctx) => {
            ctx.stop('toString')
            return ''
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(wrong, { id: 'Wrong-1' })
    const { result } = await run(flow.toJSON(), { more: [wrong] })
    expect(result.error?.detail).toContain('Wrong has no output toString')
  })

  test('FE-31: two routers in series decide one after the other', async () => {
    const flow = flowBuilder()
    for (const id of ['1', '2']) {
      flow.add(conditionalRouter, {
        id: `ConditionalRouter-${id}`,
        values: {
          input_text: 'a',
          match_text: id === '1' ? 'a' : 'b',
          true_case_message: 'T',
          false_case_message: 'F',
        },
      })
    }
    for (const name of 'xyz') flow.add(join, { id: `Join-${name}`, values: { mark: name } })
    flow.connect('ConditionalRouter-1.true_result', 'ConditionalRouter-2.input_text')
    flow.connect('ConditionalRouter-1.false_result', 'Join-x.texts')
    flow.connect('ConditionalRouter-2.true_result', 'Join-y.texts')
    flow.connect('ConditionalRouter-2.false_result', 'Join-z.texts')
    const { ends, events } = await run(flow.toJSON())
    expect(ends).toEqual(['ConditionalRouter-1', 'ConditionalRouter-2', 'Join-z'])
    expect(inactivated(events)).toEqual([['Join-x'], ['Join-x', 'Join-y'], ['Join-x', 'Join-y']])
  })

  test('FE-30: a run that stops at a router still reports the branches it leaves out', async () => {
    const flow = flowBuilder()
    const values = { input_text: 'a', match_text: 'a' }
    flow.add(conditionalRouter, { id: 'ConditionalRouter-1', values })
    flow.add(textInput, { id: 'TextInput-1' })
    for (const name of 'xyzm') flow.add(join, { id: `Join-${name}`, values: { mark: name } })
    flow.connect('ConditionalRouter-1.true_result', 'Join-x.texts')
    flow
      .connect('ConditionalRouter-1.false_result', 'Join-y.texts')
      .connect('Join-y.out', 'Join-z.texts')
    flow
      .connect('ConditionalRouter-1.false_result', 'Join-m.texts')
      .connect('TextInput-1.text', 'Join-m.texts')
    const at = async (stopComponentId: string, match_text: string) => {
      const tweaks = { match_text }
      const { ends, events } = await run(flow.toJSON(), { mode: 'build', stopComponentId, tweaks })
      return [ends, inactivated(events)]
    }
    expect(await at('ConditionalRouter-1', 'a')).toEqual([
      ['ConditionalRouter-1'],
      [['Join-y', 'Join-z', 'Join-m']],
    ])
    expect(await at('ConditionalRouter-1', 'b')).toEqual([['ConditionalRouter-1'], [['Join-x']]])
    expect(await at('Join-y', 'a')).toEqual([
      ['ConditionalRouter-1'],
      [['Join-y', 'Join-z', 'Join-m']],
    ])
  })
})

/** Words -> Loop; item -> Join-body -> back; done -> Join-after. */
function looped(text: string): FlowBuilder {
  const flow = flowBuilder()
  flow.add(words, { id: 'Words-1', values: { text } })
  flow.add(loop, { id: 'LoopComponent-1' })
  flow.add(join, { id: 'Join-body', values: { mark: '!' } })
  flow.add(join, { id: 'Join-after', values: { mark: '.' } })
  flow
    .connect('Words-1.rows', 'LoopComponent-1.data')
    .connect('LoopComponent-1.item', 'Join-body.texts')
  flow.connect('Join-body.out', 'LoopComponent-1.item')
  return flow.connect('LoopComponent-1.done', 'Join-after.texts')
}

const body = ['LoopComponent-1', 'Join-body']

describe('loops', () => {
  test('FE-32: with n items the body runs n times, the loop n + 1 times, done once', async () => {
    const { ends, result, events, next } = await run(looped('a b').toJSON())
    expect(ends).toEqual(['Words-1', ...body, ...body, 'LoopComponent-1', 'Join-after'])
    expect(result.text('Join-after')).toBe('a!,b!.')
    expect(inactivated(events)).toEqual([
      [],
      ['Join-after'],
      [],
      ['Join-after'],
      [],
      ['Join-body'],
      [],
    ])
    expect(next['LoopComponent-1']).toEqual(['Join-after'])
    expect(result.vertices.get('LoopComponent-1')?.builds).toBe(3)
    expect(result.vertices.get('Join-body')?.builds).toBe(2)
  })

  test('FE-32: without items the body never runs and done gets an empty frame', async () => {
    const { ends, result } = await run(looped('').toJSON(), { tweaks: { text: ' ' } })
    expect(ends).toEqual(['Words-1', 'LoopComponent-1', 'Join-after'])
    expect(result.text('Join-after')).toBe('.')
  })

  test('FE-32: outside values are computed once; branches of the body run in each pass', async () => {
    const flow = looped('a b')
    flow.add(textInput, { id: 'TextInput-side', values: { input_value: 's' } })
    flow.add(join, { id: 'Join-hang' })
    flow
      .connect('TextInput-side.text', 'Join-body.texts')
      .connect('Join-body.out', 'Join-hang.texts')
    const { ends, result } = await run(flow.toJSON())
    expect(ends.filter((id) => id === 'TextInput-side')).toHaveLength(1)
    expect(ends.filter((id) => id === 'Join-hang')).toHaveLength(2)
    expect(result.text('Join-after')).toBe('a+s!,b+s!.')
  })

  test('FE-32, FE-13: a side input of the body is pulled in by the loop', async () => {
    const flow = looped('a b')
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(textInput, { id: 'TextInput-side', values: { input_value: 's' } })
    flow
      .connect('ChatInput-1.message', 'Words-1.text')
      .connect('TextInput-side.text', 'Join-body.texts')
    const { ends } = await run(flow.toJSON(), { mode: 'build', input: 'a b' })
    expect(ends.slice(0, 5)).toEqual([
      'ChatInput-1',
      'Words-1',
      'LoopComponent-1',
      'TextInput-side',
      'Join-body',
    ])
    expect(ends.at(-1)).toBe('Join-after')
  })

  test('FE-32: state is fresh in each pass', async () => {
    const counter = defineComponent({
      type: 'Counter',
      inputs: { text: field.handle({ types: ['Data', 'Message'] }) },
      outputs: {
        out: output.message({
          run: ({ text }, ctx) => {
            const seen = Number(ctx.state.get('n') ?? 0) + 1
            ctx.state.set('n', seen)
            return `${textOf(text)}${seen}`
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(counter, { id: 'Counter-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Counter-1.text')
    flow
      .connect('Counter-1.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    expect((await run(flow.toJSON(), { more: [counter] })).result.text('Join-after')).toBe('a1,b1')
  })

  test('FE-32: nested loops start afresh in each outer pass', async () => {
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b' } })
    flow.add(loop, { id: 'LoopComponent-out' })
    flow.add(loop, { id: 'LoopComponent-in' })
    flow.add(join, { id: 'Join-in', values: { mark: '*' } })
    flow.add(join, { id: 'Join-out', values: { mark: '!' } })
    flow.add(join, { id: 'Join-after' })
    flow.connect('Words-1.rows', 'LoopComponent-out.data')
    flow.connect('LoopComponent-out.item', 'LoopComponent-in.data')
    flow
      .connect('LoopComponent-in.item', 'Join-in.texts')
      .connect('Join-in.out', 'LoopComponent-in.item')
    flow
      .connect('LoopComponent-in.done', 'Join-out.texts')
      .connect('Join-out.out', 'LoopComponent-out.item')
    flow.connect('LoopComponent-out.done', 'Join-after.texts')
    const json = flow.toJSON()
    for (const edge of json.data?.edges ?? []) {
      const handle = edge.data?.targetHandle as { inputTypes?: string[] }
      if (handle.inputTypes !== undefined) handle.inputTypes = ['Data', 'DataFrame', 'Message']
    }
    const { result, ends } = await run(json)
    expect(result.text('Join-after')).toBe('a*!,b*!')
    expect(ends.filter((id) => id === 'LoopComponent-in')).toHaveLength(4)
    expect(ends.filter((id) => id === 'LoopComponent-out')).toHaveLength(3)
  })

  test('FE-31, FE-32: a router in a body decides anew in each pass', async () => {
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b a' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(join, { id: 'Join-text' })
    flow.add(conditionalRouter, {
      id: 'ConditionalRouter-1',
      values: { match_text: 'a', true_case_message: 'T', false_case_message: 'F' },
    })
    for (const name of 'tfm') flow.add(join, { id: `Join-${name}`, values: { mark: name } })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Join-text.texts')
    flow.connect('Join-text.out', 'ConditionalRouter-1.input_text')
    flow.connect('ConditionalRouter-1.true_result', 'Join-t.texts')
    flow.connect('ConditionalRouter-1.false_result', 'Join-f.texts')
    flow.connect('Join-t.out', 'Join-m.texts').connect('Join-f.out', 'Join-m.texts')
    flow
      .connect('Join-m.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    expect((await run(flow.toJSON())).result.text('Join-after')).toBe('Ttm,Ffm,Ttm')
  })

  test('FE-32: an error in a pass ends the loop: no later pass runs, and done does not run', async () => {
    const fussy = defineComponent({
      type: 'Fussy',
      inputs: { text: field.handle({ types: ['Data', 'Message'] }) },
      outputs: {
        out: output.message({
          run: ({ text }) => {
            if (textOf(text) === 'b') throw new RangeError('no b')
            return textOf(text)
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(fussy, { id: 'Fussy-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Fussy-1.text')
    flow
      .connect('Fussy-1.out', 'LoopComponent-1.item')
      .connect('LoopComponent-1.done', 'Join-after.texts')
    for (const mode of ['run', 'build'] as const) {
      const { ends, result } = await run(flow.toJSON(), { more: [fussy], mode })
      expect(ends).toEqual(['Words-1', 'LoopComponent-1', 'Fussy-1', 'LoopComponent-1', 'Fussy-1!'])
      expect(result.status).toBe('failed')
    }
  })

  test('FE-32: a loop over 2,000 items completes', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => `w${index}`).join(' ')
    const result = await start(looped(text).toJSON()).result
    expect(result.vertices.get('Join-body')?.builds).toBe(2000)
    expect(result.text('Join-after')?.split(',')).toHaveLength(2000)
  })
})

describe('frozen vertices', () => {
  const counted = () => {
    let builds = 0
    const component = defineComponent({
      type: 'Counted',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        out: output.message({
          run: ({ text }) => {
            builds += 1
            return `${textOf(text)}${builds}`
          },
        }),
      },
    })
    return { component, builds: () => builds }
  }

  function frozen(component: ReturnType<typeof counted>['component']) {
    const flow = flowBuilder()
    flow.add(textInput, { id: 'TextInput-1', values: { input_value: 'x' } })
    flow.add(component, { id: 'Counted-1', frozen: true })
    return flow.connect('TextInput-1.text', 'Counted-1.text').toJSON()
  }

  test('FE-33: a cached result is not built again and is marked as such', async () => {
    const { component, builds } = counted()
    const cache = createResultCache()
    const options = { more: [component], cache }
    const first = await run(frozen(component), options)
    const second = await run(frozen(component), options)
    expect(builds()).toBe(1)
    expect(second.result.text('Counted-1')).toBe(first.result.text('Counted-1'))
    expect(second.result.vertices.get('Counted-1')?.usedFrozenResult).toBe(true)
    expect(first.result.vertices.get('Counted-1')?.usedFrozenResult).toBe(false)
  })

  test('FE-33: results are kept for each user and flow, whatever the inputs; without cache the vertex is built', async () => {
    const { component, builds } = counted()
    const cache = createResultCache()
    const mine = [component]
    const flow = frozen(component)
    await run(flow, { more: mine, cache, userId: 'ada' })
    await run(flow, { more: mine, cache, userId: 'bob' })
    await run(flow, { more: mine, cache, userId: 'ada', flowId: 'other' })
    await run(flow, { more: mine, cache, userId: 'ada', tweaks: { input_value: 'y' } })
    expect(builds()).toBe(3)
    await run(flow, { more: mine, userId: 'ada' })
    expect(builds()).toBe(4)
  })
})
