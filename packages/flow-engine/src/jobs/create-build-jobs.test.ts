import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defineComponent } from '../components/define/define.ts'
import { field } from '../components/define/field.ts'
import { output } from '../components/define/output.ts'
import { createRegistry } from '../components/registry/registry.ts'
import { isFlowError } from '../errors.ts'
import type { RunEvent } from '../graph/events/run-event.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import { flowBuilder } from '../testing/flow-builder.ts'
import type { BuildJobs } from './build-jobs.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import { createBuildJobs } from './create-build-jobs.ts'

const upper = defineComponent({
  type: 'Upper',
  inputs: { text: field.string({ default: 'a' }) },
  outputs: { result: output.message({ run: ({ text }) => text.toUpperCase() }) },
})

/** Waits until it is opened, or stopped. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const started: string[] = []
  const component = defineComponent({
    type: 'Gate',
    inputs: { text: field.message({}) },
    outputs: {
      result: output.message({
        run: async ({ text }, ctx) => {
          started.push(ctx.vertexId)
          await new Promise<void>((resolve, reject) => {
            ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
            opened.then(resolve, reject)
          })
          return text ?? ''
        },
      }),
    },
  })
  return { component, open: () => open(), started }
}

const failing = defineComponent({
  type: 'Failing',
  inputs: {},
  outputs: {
    result: output.message({
      run: () => {
        throw new Error('no luck')
      },
    }),
  },
})

const all: BuildJobs[] = []
function jobsWith(options: BuildJobsOptions): BuildJobs {
  const jobs = createBuildJobs(options)
  all.push(jobs)
  return jobs
}
afterEach(async () => {
  await Promise.all(all.splice(0).map((jobs) => jobs.close({ timeoutMs: 0 })))
})

async function read(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const found: RunEvent[] = []
  for await (const event of events) found.push(event)
  return found
}
const kinds = (events: readonly RunEvent[]): string[] => events.map(({ event }) => event)

function gated() {
  const held = gate()
  const builder = flowBuilder('gated')
  const first = builder.add(upper)
  const second = builder.add(held.component)
  builder.connect(`${first}.result`, `${second}.text`)
  return { ...held, flow: builder.toJSON(), components: createRegistry([upper, held.component]) }
}

describe('reading a job', () => {
  test('FE-60 every reader sees the whole log, also after the end', async () => {
    const { flow, components, open } = gated()
    const jobs = jobsWith({ components })
    const { id, state } = await jobs.start({ flow })
    expect(state).toBe('queued')
    const early = read(jobs.events(id))
    open()
    const seen = await early
    expect(kinds(seen)).toEqual(['vertices_sorted', 'end_vertex', 'end_vertex', 'end'])
    expect(seen.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(await read(jobs.events(id))).toEqual(seen)
    expect(kinds(await read(jobs.events(id, { after: 1 })))).toEqual(['end_vertex', 'end'])
    expect((await jobs.get(id))?.state).toBe('succeeded')
    expect((await jobs.get(id))?.lastSeq).toBe(3)
  })

  test('FE-60 a reader that leaves does not cancel the job', async () => {
    const { flow, components, open } = gated()
    const jobs = jobsWith({ components })
    const { id } = await jobs.start({ flow })
    for await (const event of jobs.events(id)) if (event.event === 'end_vertex') break
    open()
    expect((await jobs.result(id)).status).toBe('succeeded')
  })

  test('FE-60 a failure before the first vertex ends the log', async () => {
    const jobs = jobsWith({ components: createRegistry([]) })
    const { id } = await jobs.start({ flow: { nodes: 5 } as never })
    expect(kinds(await read(jobs.events(id)))).toEqual(['error', 'end'])
    const refused = await jobs.start({ flow: { nodes: [], edges: [] }, refused: 'Invalid flow ID' })
    const events = await read(jobs.events(refused.id))
    expect(events[0]?.data).toMatchObject({ text: 'Invalid flow ID\n', category: 'error' })
    expect((await jobs.get(refused.id))?.error?.code).toBe('invalid_flow')
  })

  test('FE-61 a failing component leaves a failed job with its error', async () => {
    const builder = flowBuilder('failing')
    builder.add(failing)
    const jobs = jobsWith({ components: createRegistry([failing]) })
    const { id } = await jobs.start({ flow: builder.toJSON() })
    const events = await read(jobs.events(id))
    expect(kinds(events)).toEqual(['vertices_sorted', 'error', 'end_vertex', 'end'])
    const job = await jobs.get(id)
    expect([job?.state, job?.error?.code]).toEqual(['failed', 'component_failed'])
  })

  test('another user cannot see a job', async () => {
    const { flow, components, open } = gated()
    open()
    const jobs = jobsWith({ components })
    const { id } = await jobs.start({ flow, userId: 'ada' })
    const other = { userId: 'bob' }
    const unknown = { code: 'not_found', status: 404 }
    await expect(read(jobs.events(id, other))).rejects.toMatchObject(unknown)
    await expect(jobs.poll(id, other)).rejects.toMatchObject(unknown)
    await expect(jobs.cancel(id, other)).rejects.toMatchObject(unknown)
    await expect(jobs.resume(id, 1, other)).rejects.toMatchObject(unknown)
    expect(await jobs.get(id, other)).toBeNull()
    expect((await jobs.get(id, { userId: 'ada' }))?.id).toBe(id)
  })
})

describe('polling a job', () => {
  test('FE-69 returns to each reader the events it has not had, and the end repeatedly', async () => {
    const { flow, components, open } = gated()
    open()
    const jobs = jobsWith({ components })
    const { id } = await jobs.start({ flow })
    await jobs.result(id)
    await read(jobs.events(id))
    const first = await jobs.poll(id, { reader: 'a' })
    expect(kinds(first.events).at(-1)).toBe('end')
    expect(first).toMatchObject({ done: true, cursor: 3 })
    const again = await jobs.poll(id, { reader: 'a' })
    expect([kinds(again.events), again.done]).toEqual([['end'], true])
    expect((await jobs.poll(id, { reader: 'b' })).events).toHaveLength(4)
    expect(kinds((await jobs.poll(id, { after: 1 })).events)).toEqual(['end_vertex', 'end'])
    expect(kinds((await jobs.poll(id, { after: 1 })).events)).toEqual(['end_vertex', 'end'])
  })

  test('FE-69 returns the events so far, then waits, then returns an empty list', async () => {
    const { flow, components, started } = gated()
    const runtime = createTestRuntime()
    const jobs = jobsWith({ components, runtime })
    const { id } = await jobs.start({ flow })
    await vi.waitFor(() => expect(started).toHaveLength(1))
    const { events, done } = await jobs.poll(id, { reader: 'a' })
    expect([kinds(events), done]).toEqual([['vertices_sorted', 'end_vertex'], false])
    const waiting = jobs.poll(id, { reader: 'a', waitMs: 30_000 })
    await runtime.advance(30_000)
    expect(await waiting).toMatchObject({ events: [], done: false })
  })
})

describe('cancelling a job', () => {
  test('FE-60 a running job ends with a cancelled end event; the call is idempotent', async () => {
    const { flow, components, started } = gated()
    const jobs = jobsWith({ components })
    const { id } = await jobs.start({ flow })
    const reading = read(jobs.events(id))
    await jobs.poll(id, { after: 0 })
    expect(await jobs.cancel(id)).toEqual({ success: true })
    const events = await reading
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { cancelled: true } })
    expect(started).toHaveLength(1)
    expect((await jobs.result(id)).status).toBe('cancelled')
    expect(await jobs.cancel(id)).toEqual({ success: true })
    expect((await jobs.get(id))?.state).toBe('cancelled')
  })

  test('FE-60 a waiting job is cancelled at once and never runs', async () => {
    const { flow, components, started, open } = gated()
    const jobs = jobsWith({ components, concurrency: 1 })
    const running = await jobs.start({ flow })
    const waiting = await jobs.start({ flow })
    await jobs.cancel(waiting.id)
    expect(await read(jobs.events(waiting.id))).toMatchObject([
      { event: 'end', data: { cancelled: true } },
    ])
    open()
    await jobs.result(running.id)
    expect(started).toHaveLength(1)
    expect((await jobs.get(waiting.id))?.state).toBe('cancelled')
  })
})

describe('the queue', () => {
  test('FE-64 refuses jobs beyond maxQueued with 429', async () => {
    const { flow, components } = gated()
    const jobs = jobsWith({ components, concurrency: 1, maxQueued: 1 })
    await jobs.start({ flow })
    await jobs.poll((await jobs.start({ flow })).id, { after: -1, waitMs: 0 })
    const error: unknown = await jobs.start({ flow }).catch((reason: unknown) => reason)
    expect(isFlowError(error) && [error.code, error.status]).toEqual(['limit_exceeded', 429])
  })

  test('runs no more jobs of one user at once than allowed', async () => {
    const { flow, components, started, open } = gated()
    const jobs = jobsWith({ components, concurrencyPerUser: 1 })
    const [a, b] = [
      await jobs.start({ flow, userId: 'u' }),
      await jobs.start({ flow, userId: 'u' }),
    ]
    const c = await jobs.start({ flow, userId: 'v' })
    await jobs.poll(a.id, { after: 0 })
    await jobs.poll(c.id, { after: 0 })
    expect((await jobs.get(b.id))?.state).toBe('queued')
    open()
    await jobs.result(b.id)
    expect(started).toHaveLength(3)
  })

  test('reports start and end to the observer', async () => {
    const { flow, components, open } = gated()
    open()
    const told: unknown[] = []
    const jobs = jobsWith({
      components,
      observer: {
        started: ({ id }) => told.push(['started', id]),
        finished: ({ id, state }) => told.push([state, id]),
      },
    })
    const { id } = await jobs.start({ flow })
    await read(jobs.events(id))
    await jobs.close()
    expect(told).toEqual([
      ['started', id],
      ['succeeded', id],
    ])
  })

  test('FE-63 finished jobs are trimmed by age and number, never within five minutes', async () => {
    const { flow, components, open } = gated()
    open()
    const runtime = createTestRuntime()
    const jobs = jobsWith({ components, runtime, retention: { maxJobs: 1, maxAgeMs: 1 } })
    const run = async (): Promise<string> => {
      const { id } = await jobs.start({ flow })
      await read(jobs.events(id))
      return id
    }
    const first = await run()
    await runtime.advance(4 * 60_000)
    const second = await run()
    expect(await jobs.get(first)).not.toBeNull()
    await runtime.advance(2 * 60_000)
    await run()
    await jobs.close()
    expect(await jobs.get(first)).toBeNull()
    expect(await jobs.get(second)).not.toBeNull()
    await expect(read(jobs.events(first))).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('after a crash', () => {
  test('FE-63 a job whose process died is failed as interrupted', async () => {
    const store = createMemoryJobStore()
    const now = new Date()
    await store.queue.enqueue({
      id: 'job-1',
      flowId: 'flow-1',
      userId: null,
      request: '',
      resumable: false,
      createdAt: now,
      lane: '',
      flowVersion: null,
      sessionId: null,
      maxRunningPerUser: null,
      priority: 0,
      maxQueued: null,
    })
    await store.queue.claim('dead process', new Date(now.getTime() + 30_000), now)
    await store.log.append('job-1', [{ seq: 0, event: 'vertices_sorted', data: '{}' }])
    const jobs = jobsWith({ store })
    expect(await jobs.recover()).toEqual({ requeued: [], interrupted: ['job-1'] })
    expect(await jobs.recover()).toEqual({ requeued: [], interrupted: [] })
    const events = await read(jobs.events('job-1'))
    expect(kinds(events)).toEqual(['vertices_sorted', 'error', 'end'])
    expect((await jobs.get('job-1'))?.error?.code).toBe('interrupted')
    expect(await jobs.result('job-1')).toMatchObject({ status: 'failed', outputs: [] })
  })
})
