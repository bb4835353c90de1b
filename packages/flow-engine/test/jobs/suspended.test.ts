import { afterEach, describe, expect, test } from 'vitest'
import {
  createMessage,
  createRegistry,
  defineComponent,
  field,
  output,
  type ComponentContext,
  type RunEvent,
} from '@x/flow-engine'
import { createBuildJobs, type BuildJobs, type BuildRequest } from '@x/flow-engine'
import { createMemoryJobStore, createMemoryServices } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { closeProcesses, counting, processOn } from '../engine/dying.ts'
import { gated } from '../engine/gated.ts'
import { library } from '../engine/dependencies.ts'

afterEach(closeProcesses)

function asking(run: (ctx: ComponentContext) => Promise<string>, idempotent = true) {
  return defineComponent({
    type: 'Asking',
    idempotent,
    inputs: { text: field.handle({ types: ['Message'] }) },
    outputs: { out: output.message({ run: (_inputs, ctx) => run(ctx) }) },
  })
}

const asks = asking(async (ctx) => `told ${String(await ctx.suspend({ ask: ctx.vertexId }))}`)

function flowOf(...vertices: readonly [component: ReturnType<typeof asking>, id: string][]) {
  const flow = flowBuilder()
  for (const [component, id] of vertices) flow.add(component, { id })
  return flow.toJSON()
}

async function suspended(jobs: BuildJobs, id: string): Promise<void> {
  await expect.poll(async () => (await jobs.get(id))?.state).toBe('suspended')
}

const ends = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.event === 'end_vertex' ? [event.data.build_data.id] : []))

describe('a suspended job (FE-63a)', () => {
  test('FE-63a: it says what it asks; its log stays open and its readers wait for the answer', async () => {
    const jobs = processOn(createMemoryJobStore(), [asks])
    const { id } = await jobs.start({ flow: flowOf([asks, 'Asking-1']), resumable: true })
    const reading = collectEvents(jobs.events(id))
    await suspended(jobs, id)
    expect((await jobs.get(id))?.question).toMatchObject({
      vertexId: 'Asking-1',
      question: { ask: 'Asking-1' },
    })
    expect((await jobs.poll(id, { after: -1 })).events.map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'add_message',
      'suspended',
    ])
    expect((await jobs.resume(id, 'yes')).question).toBeUndefined()
    expect((await reading).map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'add_message',
      'suspended',
      'add_message',
      'end_vertex',
      'end',
    ])
    expect((await jobs.result(id)).status).toBe('succeeded')
  })

  test('FE-63a: a second resume, or one of a job that is not suspended, is a conflict', async () => {
    const jobs = processOn(createMemoryJobStore(), [asks])
    const { id } = await jobs.start({ flow: flowOf([asks, 'Asking-1']), resumable: true })
    await suspended(jobs, id)
    const resumed = await Promise.allSettled([jobs.resume(id, 'one'), jobs.resume(id, 'two')])
    expect(resumed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await collectEvents(jobs.events(id))
    await expect(jobs.resume(id, 'three')).rejects.toMatchObject({ code: 'conflict', status: 409 })
    expect((await jobs.result(id)).text('Asking-1')).toBe('told one')
  })

  test('FE-63a: other running vertices finish; finished vertices are not run again', async () => {
    const gate = gated()
    const flow = flowBuilder()
    flow.add(asks, { id: 'Asking-1' })
    flow.add(gate.component, { id: 'Gated-1' })
    const jobs = processOn(createMemoryJobStore(), [asks, gate.component])
    const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
    await gate.begun(1)
    gate.open('-')
    await suspended(jobs, id)
    const reading = collectEvents(jobs.events(id))
    await jobs.resume(id, 'yes')
    expect(ends(await reading)).toEqual(['Gated-1', 'Asking-1'])
    expect(gate.started).toEqual(['-'])
  })

  test('FE-63a: two vertices that ask at once each get their own answer', async () => {
    const jobs = processOn(createMemoryJobStore(), [asks])
    const flow = flowOf([asks, 'Asking-1'], [asks, 'Asking-2'])
    const { id } = await jobs.start({ flow, resumable: true, outputType: 'debug' })
    for (const vertexId of ['Asking-1', 'Asking-2']) {
      await suspended(jobs, id)
      expect((await jobs.get(id))?.question).toMatchObject({ vertexId })
      await jobs.resume(id, `for ${vertexId}`)
    }
    await collectEvents(jobs.events(id))
    const { outputs } = await jobs.result(id)
    expect(outputs.map(({ outputs: { out } }) => out)).toMatchObject([
      { text: 'told for Asking-1' },
      { text: 'told for Asking-2' },
    ])
  })

  test('FE-63a: a vertex that asks twice gets the answer to each question', async () => {
    const twice = asking(async (ctx) => {
      const first = await ctx.suspend('first?')
      return `${String(first)} then ${String(await ctx.suspend('second?'))}`
    })
    const jobs = processOn(createMemoryJobStore(), [twice])
    const { id } = await jobs.start({ flow: flowOf([twice, 'Asking-1']), resumable: true })
    for (const [question, answer] of [
      ['first?', 'one'],
      ['second?', 'two'],
    ]) {
      await suspended(jobs, id)
      expect((await jobs.get(id))?.question).toMatchObject({ question })
      await jobs.resume(id, answer)
    }
    await collectEvents(jobs.events(id))
    expect((await jobs.result(id)).text('Asking-1')).toBe('one then two')
  })

  test('FE-63a: a job cancelled while suspended ends at once and cannot be resumed', async () => {
    const jobs = processOn(createMemoryJobStore(), [asks])
    const { id } = await jobs.start({ flow: flowOf([asks, 'Asking-1']), resumable: true })
    await suspended(jobs, id)
    const reading = collectEvents(jobs.events(id))
    expect(await jobs.cancel(id)).toEqual({ success: true })
    expect((await reading).at(-1)).toMatchObject({ event: 'end', data: { cancelled: true } })
    expect((await jobs.get(id))?.state).toBe('cancelled')
    await expect(jobs.resume(id, 'yes')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('FE-63a: a job that is not resumable cannot be suspended', async () => {
    const jobs = processOn(createMemoryJobStore(), [asks])
    const { id } = await jobs.start({ flow: flowOf([asks, 'Asking-1']) })
    await collectEvents(jobs.events(id))
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'not_resumable' } })
  })

  test('FE-63a: a job resumed in its first process keeps the services of its request', async () => {
    const storing = asking(async (ctx) => {
      const answer = String(await ctx.suspend('sure?'))
      return (await ctx.sendMessage(createMessage(answer))).text as string
    })
    const services = createMemoryServices()
    const request: BuildRequest = { flow: flowOf([storing, 'Asking-1']), services, sessionId: 's' }
    const jobs = createBuildJobs({ components: createRegistry([...library, storing]) })
    const { id } = await jobs.start({ ...request, resumable: true })
    await suspended(jobs, id)
    await jobs.resume(id, 'kept')
    await collectEvents(jobs.events(id))
    await jobs.close()
    expect(await services.messages?.list({ sessionId: 's' })).toMatchObject([
      { sender: 'Machine' },
      { text: 'kept' },
    ])
  })

  test('FE-63, FE-63a: a vertex with `idempotent: false` that crashed after its answer is not run again', async () => {
    const work = counting('Work', { idempotent: false, asks: true, hangsAnswered: true })
    const store = createMemoryJobStore()
    const first = processOn(store, [work.component])
    const flow = flowBuilder()
    flow.add(work.component, { id: 'Work-1' })
    const { id } = await first.start({ flow: flow.toJSON(), resumable: true })
    await suspended(first, id)
    await first.resume(id, 'yes')
    await work.running

    const second = processOn(store, [work.component])
    await second.recover()
    await collectEvents(second.events(id))
    expect(work.runs).toHaveLength(2)
    expect((await second.get(id))?.error?.code).toBe('interrupted')
  })
})
