import { afterEach, describe, expect, test } from 'vitest'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import {
  defineComponent,
  field,
  output,
  type Component,
  type FlowJson,
  type RunEvent,
} from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { closeProcesses, counting, processOn, takenUp } from './dying.ts'
import { pair, textOf, words } from './dependencies.ts'

afterEach(closeProcesses)

/** Words one by one through a line of components; behind the loop a pair of all and of the last. */
function looping(text: string, body: readonly Component[], after: Component = pair): FlowJson {
  const flow = flowBuilder()
  flow.add(words, { id: 'Words-1', values: { text } })
  flow.add(loop, { id: 'Loop-1' })
  const ids = body.map((component) => flow.add(component, { id: `${component.type}-1` }))
  flow.connect('Words-1.rows', 'Loop-1.data').connect('Loop-1.item', `${ids[0]}.text`)
  for (const [at, id] of ids.entries()) {
    if (at > 0) flow.connect(`${ids[at - 1]}.out`, `${id}.text`)
  }
  flow.connect(`${ids.at(-1)}.out`, 'Loop-1.item')
  flow.add(after, { id: 'After-1' })
  if (after !== pair) return flow.connect('Loop-1.done', 'After-1.text').toJSON()
  flow.connect('Loop-1.done', 'After-1.left')
  return flow.connect(`${ids.at(-1)}.out`, 'After-1.right').toJSON()
}

const ends = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.event === 'end_vertex' ? [event.data.build_data.id] : []))

describe('passes of a loop that had finished when the process died (FE-63)', () => {
  test('FE-63: they are not run again, and the log equals that of an uninterrupted run', async () => {
    const before = counting('Before', { idempotent: false })
    const work = counting('Work', { hangs: 3 })
    const body = [before.component, work.component]
    const { events, result } = await takenUp(looping('a b c d', body), body, work)

    // Nor is what had finished in the pass that was under way.
    expect(before.runs).toEqual(['a', 'b', 'c', 'd'])
    expect(work.runs).toEqual(['Before 1', 'Before 2', 'Before 3', 'Before 3', 'Before 4'])
    const pass = ['Loop-1', 'Before-1', 'Work-1']
    expect(ends(events)).toEqual([
      'Words-1',
      ...[pass, pass, pass, pass].flat(),
      'Loop-1',
      'After-1',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
    expect(result.text('After-1')).toBe('Work 1,Work 2,Work 4,Work 5|Work 5')
    expect(result.vertices.get('Work-1')?.builds).toBe(4)
    expect(result.vertices.get('Loop-1')?.builds).toBe(5)
  })

  test('FE-63: no pass runs again if the process dies after the loop', async () => {
    const work = counting('Work', {})
    const after = counting('After', { hangs: 1 })
    const components = [work.component, after.component]
    const flow = looping('a b', [work.component], after.component)
    const { events, result } = await takenUp(flow, components, after)

    expect(work.runs).toEqual(['a', 'b'])
    expect(after.runs).toEqual(['Work 1,Work 2', 'Work 1,Work 2'])
    expect(ends(events).filter((id) => id === 'Work-1')).toHaveLength(2)
    expect(result.status).toBe('succeeded')
    expect(result.vertices.get('Work-1')?.valid).toBe(true)
  })

  test('FE-63: a pass that another process ran also counts after a second crash', async () => {
    const work = counting('Work', { hangs: 2 })
    const again = counting('Again', { hangs: 3 })
    const body = [work.component, again.component]
    const store = createMemoryJobStore()
    const flow = looping('a b c d', body)
    const { id } = await processOn(store, body).start({ flow, resumable: true })
    await work.running
    await processOn(store, body).recover()
    await again.running
    const third = processOn(store, body)
    await third.recover()
    const events = await collectEvents(third.events(id))

    expect(work.runs).toEqual(['a', 'b', 'b', 'c', 'd'])
    expect(again.runs).toEqual(['Work 1', 'Work 3', 'Work 4', 'Work 4', 'Work 5'])
    expect(ends(events).filter((end) => end === 'Loop-1')).toHaveLength(5)
    expect((await third.result(id)).text('After-1')).toBe('Again 1,Again 2,Again 4,Again 5|Again 5')
  })

  test('FE-63: a pass that is missing from the log is run again, so that no reader misses it', async () => {
    const work = counting('Work', { hangs: 3 })
    const store = createMemoryJobStore()
    let appends = 0
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const stuck = {
      ...store.log,
      append: (...given: Parameters<typeof store.log.append>) =>
        (appends += 1) === 1 ? store.log.append(...given) : held,
    }
    const first = processOn({ ...store, log: stuck }, [work.component])
    const flow = looping('a b c', [work.component])
    const { id } = await first.start({ flow, resumable: true })
    await work.running

    const second = processOn(store, [work.component])
    await second.recover()
    const pass = ['Loop-1', 'Work-1']
    expect(ends(await collectEvents(second.events(id)))).toEqual([
      'Words-1',
      ...[pass, pass, pass].flat(),
      'Loop-1',
      'After-1',
    ])
    // Vertices that had finished in the last stored pass are not run again.
    expect(work.runs).toEqual(['a', 'b', 'c', 'a', 'c'])
    letGo()
  })

  test('FE-63: a vertex that must not run twice can run in a pass where it had not begun', async () => {
    let runs = 0
    const opaque = defineComponent({
      type: 'Opaque',
      idempotent: false,
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        // No data: its result cannot be kept, only that it has run.
        out: output.any({
          types: ['Tool'],
          run: () => ({ call: () => (runs += 1), runs: ++runs }),
        }),
      },
    })
    const work = counting('Work', { hangs: 2 })
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b' } })
    flow.add(loop, { id: 'Loop-1' })
    flow.add(work.component, { id: 'Work-1' })
    flow.add(opaque, { id: 'Opaque-1' })
    flow
      .connect('Words-1.rows', 'Loop-1.data')
      .connect('Loop-1.item', 'Work-1.text')
      .connect('Work-1.out', 'Loop-1.item')
      .connect('Work-1.out', 'Opaque-1.text')
    const { result } = await takenUp(flow.toJSON(), [work.component, opaque], work)
    expect(result.status).toBe('succeeded')
    expect(runs).toBe(2)
  })

  test('FE-63: a pass without a result is skipped like the others', async () => {
    const chosen = defineComponent({
      type: 'Chosen',
      inputs: { text: field.handle({ types: ['Data'] }) },
      outputs: {
        out: output.message({
          run({ text }, ctx) {
            if (textOf(text) === 'no') ctx.stop('out')
            return textOf(text)
          },
        }),
      },
    })
    const work = counting('Work', { hangs: 2 })
    const body = [chosen, work.component]
    const { events, result } = await takenUp(looping('no a no b', body), body, work)
    expect(work.runs).toEqual(['a', 'b', 'b'])
    expect(ends(events).filter((id) => id === 'Work-1')).toHaveLength(2)
    expect(result.text('After-1')).toBe('Work 1,Work 3|Work 3')
    expect(result.vertices.get('Work-1')?.builds).toBe(2)
  })

  test('FE-63: of nested loops the outer pass that was running is repeated', async () => {
    const rows = defineComponent({
      type: 'Rows',
      inputs: { text: field.handle({ types: ['Data'] }) },
      outputs: {
        rows: output.dataFrame({
          run: ({ text }) => ['x', 'y'].map((part) => ({ text: textOf(text) + part })),
        }),
      },
    })
    const work = counting('Work', { hangs: 4 })
    const gathered = counting('Gathered', {})
    const components = [rows, work.component, gathered.component]
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'Loop-out' })
    flow.add(rows, { id: 'Rows-1' })
    flow.add(loop, { id: 'Loop-in' })
    flow.add(work.component, { id: 'Work-1' })
    flow.add(gathered.component, { id: 'Gathered-1' })
    flow.add(pair, { id: 'After-1' })
    flow
      .connect('Words-1.rows', 'Loop-out.data')
      .connect('Loop-out.item', 'Rows-1.text')
      .connect('Rows-1.rows', 'Loop-in.data')
      .connect('Loop-in.item', 'Work-1.text')
      .connect('Work-1.out', 'Loop-in.item')
      .connect('Loop-in.done', 'Gathered-1.text')
      .connect('Gathered-1.out', 'Loop-out.item')
      .connect('Loop-out.done', 'After-1.left')
    const { events, result } = await takenUp(flow.toJSON(), components, work)
    expect(work.runs).toEqual(['ax', 'ay', 'bx', 'by', 'bx', 'by', 'cx', 'cy'])
    expect(gathered.runs).toEqual(['Work 1,Work 2', 'Work 5,Work 6', 'Work 7,Work 8'])
    expect(result.text('After-1')).toBe('Gathered 1,Gathered 2,Gathered 3|-')
    expect(ends(events).filter((id) => id === 'Work-1')).toHaveLength(6)
    expect(ends(events).filter((id) => id === 'Loop-in')).toHaveLength(9)
    expect(result.vertices.get('Work-1')?.builds).toBe(6)
  })

  test('FE-63a: each pass asks its own question and gets its own answer', async () => {
    const ask = counting('Ask', { asks: true })
    const jobs = processOn(createMemoryJobStore(), [ask.component])
    const { id } = await jobs.start({ flow: looping('a b', [ask.component]), resumable: true })
    for (const answer of ['one', 'two']) {
      await expect.poll(async () => (await jobs.get(id))?.state).toBe('suspended')
      await jobs.resume(id, answer)
    }
    const events = await collectEvents(jobs.events(id))
    expect(ask.runs).toEqual(['a', 'a', 'b', 'b'])
    expect((await jobs.result(id)).text('After-1')).toBe('told one,told two|told two')
    expect(ends(events)).toEqual([
      'Words-1',
      'Loop-1',
      'Ask-1',
      'Loop-1',
      'Ask-1',
      'Loop-1',
      'After-1',
    ])
  })
})
