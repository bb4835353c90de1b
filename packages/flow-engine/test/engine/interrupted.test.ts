import { afterEach, describe, expect, test } from 'vitest'
import type { Component, FlowJson } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { closeProcesses, counting, processOn, takenUp } from './dying.ts'
import { library, kinds } from './dependencies.ts'

afterEach(closeProcesses)

function line(...components: readonly Component[]): FlowJson {
  const flow = flowBuilder()
  const ids = components.map((component) => flow.add(component, { id: `${component.type}-1` }))
  for (const [at, id] of ids.entries()) {
    if (at > 0) flow.connect(`${ids[at - 1]}.out`, `${id}.text`)
  }
  return flow.toJSON()
}

describe('a process that dies (FE-63)', () => {
  test('FE-63: a vertex that was running runs again; one with a checkpoint neither runs nor is reported twice', async () => {
    const before = counting('Before', { idempotent: false })
    const work = counting('Work', { hangs: 1 })
    const components = [before.component, work.component]
    const { id, jobs, recovered, events } = await takenUp(line(...components), components, work)

    expect(recovered).toEqual({ requeued: [id], interrupted: [] })

    expect(kinds(events)).toEqual(['vertices_sorted', 'end_vertex', 'end_vertex', 'end'])
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect([before.runs, work.runs]).toEqual([['-'], ['Before 1', 'Before 1']])
    expect((await jobs.get(id))?.state).toBe('succeeded')
  })

  test('FE-63: a running vertex with `idempotent: false` is not run again: the job fails as interrupted', async () => {
    const before = counting('Before', {})
    const work = counting('Work', { idempotent: false, hangs: 1 })
    const after = counting('After', {})
    const components = [before.component, work.component, after.component]
    const { id, jobs, recovered, events } = await takenUp(line(...components), components, work)

    expect(recovered).toEqual({ requeued: [id], interrupted: [] })

    expect(kinds(events)).toEqual(['vertices_sorted', 'end_vertex', 'error', 'end_vertex', 'end'])
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4])
    expect(events[3]?.data).toMatchObject({ build_data: { id: 'Work-1', valid: false } })
    expect([before.runs, work.runs, after.runs]).toEqual([['-'], ['Before 1'], []])
    expect(await jobs.get(id)).toMatchObject({
      state: 'failed',
      error: {
        code: 'interrupted',
        detail: 'Error building Component Work one: \n\nComponent Work one was interrupted',
      },
    })
  })

  test('FE-63: a vertex that was running in a pass of a loop is not run again either', async () => {
    const work = counting('Work', { idempotent: false, hangs: 1 })
    const flow = flowBuilder()
    flow.add('LoopComponent', { id: 'Loop-1', values: {} })
    const words = library.find(({ type }) => type === 'Words')
    if (words === undefined) throw new RangeError('not there')
    flow.add(words, { id: 'Words-1', values: { text: 'a b' } })
    flow.add(work.component, { id: 'Work-1' })
    flow.connect('Words-1.rows', 'Loop-1.data').connect('Loop-1.item', 'Work-1.text')
    flow.connect('Work-1.out', 'Loop-1.item')
    const { id, jobs } = await takenUp(flow.toJSON(), [work.component], work)
    expect(work.runs).toEqual(['a'])
    expect((await jobs.get(id))?.error?.code).toBe('interrupted')
  })

  test('FE-63a: a vertex that asked and was answered runs again, even with `idempotent: false`', async () => {
    const ask = counting('Ask', { idempotent: false, asks: true })
    const store = createMemoryJobStore()
    const jobs = processOn(store, [ask.component])
    const { id } = await jobs.start({
      flow: line(ask.component),
      resumable: true,
    })
    await expect.poll(async () => (await jobs.get(id))?.state).toBe('suspended')
    await jobs.resume(id, 'yes')
    const events = await collectEvents(jobs.events(id))
    expect(kinds(events).slice(-2)).toEqual(['end_vertex', 'end'])
    expect(events.at(-2)?.data).toMatchObject({
      build_data: { data: { outputs: { out: { message: 'told yes' } } } },
    })
  })

  test('FE-63: a job that is not resumable reruns no vertex, whatever its components declare', async () => {
    const work = counting('Work', { hangs: 1 })
    const store = createMemoryJobStore()
    const first = processOn(store, [work.component])
    const { id } = await first.start({ flow: line(work.component) })
    await work.running
    const second = processOn(store, [work.component])
    expect(await second.recover()).toEqual({ requeued: [], interrupted: [id] })
    expect((await second.get(id))?.error).toEqual({
      code: 'interrupted',
      detail: 'The process that ran the build died',
    })
    expect(work.runs).toHaveLength(1)
  })
})
