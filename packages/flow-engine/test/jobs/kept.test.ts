import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, defineComponent, output, type RunEvent } from '@x/flow-engine'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import type { JobQueue } from '@x/flow-engine/store'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated, looped } from '../engine/gated.ts'
import { join, library, kinds } from '../engine/dependencies.ts'
import { closeAll, closeLater } from './asking.ts'

afterEach(closeAll)

function jobsWith(options: BuildJobsOptions): BuildJobs {
  const jobs = createBuildJobs({ components: createRegistry(library), ...options })
  closeLater(jobs)
  return jobs
}

const plain = looped(join, 'a b')

async function finished(jobs: BuildJobs, request: object = {}): Promise<string> {
  const { id } = await jobs.start({ flow: plain, ...request })
  await collectEvents(jobs.events(id))
  return id
}

const HOUR = 3_600_000

describe('finished jobs', () => {
  test('FE-63: finished jobs are kept for a day, then removed with their log and checkpoints', async () => {
    const runtime = createTestRuntime()
    const store = createMemoryJobStore()
    const jobs = jobsWith({ runtime, store })
    const first = await finished(jobs)
    await store.checkpoints.put(first, 'left-behind', '{}')
    await runtime.advance(23 * HOUR)
    await finished(jobs)
    expect(await jobs.get(first)).not.toBeNull()
    expect(await store.log.read(first, -1, 1)).toHaveLength(1)
    await runtime.advance(2 * HOUR)
    await finished(jobs)
    await jobs.close()
    expect(await jobs.get(first)).toBeNull()
    expect(await store.log.read(first, -1, 1)).toEqual([])
    expect(await store.checkpoints.list(first)).toEqual([])
  })

  test(
    'FE-63, FE-64: by default 1,000 finished jobs are kept and 1,000 jobs can wait',
    { tags: ['long'] },
    async () => {
      const gate = gated()
      const runtime = createTestRuntime()
      const components = createRegistry([...library, gate.component])
      const jobs = jobsWith({ runtime, components, concurrency: 1 })
      const blocked = flowBuilder()
      blocked.add(gate.component, { id: 'Gated-1' })
      const first = await jobs.start({ flow: blocked.toJSON() })
      await gate.begun(1)
      const waiting: string[] = []
      for (let count = 0; count < 1000; count += 1)
        waiting.push((await jobs.start({ flow: { nodes: [], edges: [] } })).id)
      await expect(jobs.start({ flow: plain })).rejects.toMatchObject({
        code: 'limit_exceeded',
        status: 429,
      })
      gate.open('-')
      await collectEvents(jobs.events(waiting.at(-1) ?? ''))
      await runtime.advance(6 * 60_000)
      await finished(jobs)
      await jobs.close()
      expect(await jobs.get(first.id)).toBeNull()
      const kept = await Promise.all(waiting.map((id) => jobs.get(id)))
      expect(kept.findIndex((job) => job !== null)).toBe(1)
      expect(kept.filter((job) => job !== null)).toHaveLength(999)
    },
  )

  test('FE-63: a finished resumable job leaves no checkpoints', async () => {
    const store = createMemoryJobStore()
    const jobs = jobsWith({ store })
    const id = await finished(jobs, { resumable: true })
    await jobs.close()
    expect(await store.checkpoints.list(id)).toEqual([])
  })

  test('the result of another process’s job is rebuilt from its log, without values', async () => {
    const store = createMemoryJobStore()
    const jobs = jobsWith({ store })
    const id = await finished(jobs)
    const gate = gated()
    const other = jobsWith({ store, components: createRegistry([gate.component]) })
    const alone = flowBuilder()
    alone.add(gate.component, { id: 'Gated-1' })
    const { id: stopped } = await other.start({ flow: alone.toJSON() })
    await gate.begun(1)
    await other.cancel(stopped)
    await collectEvents(other.events(stopped))
    await other.close()

    const later = jobsWith({ store })
    const result = await later.result(id)
    expect(result).toMatchObject({ status: 'succeeded', outputs: [] })
    expect(
      [...result.vertices].map(([vertex, { builds, outputs }]) => [vertex, builds, outputs]),
    ).toEqual([
      ['Words-1', 1, {}],
      ['LoopComponent-1', 3, {}],
      ['Body-1', 2, {}],
      ['Join-after', 1, {}],
    ])
    expect((await later.result(stopped)).status).toBe('cancelled')
  })
})

describe('the end of a process', () => {
  test('FL-31 close waits for running jobs, then fails them as interrupted, and accepts no new jobs', async () => {
    const gate = gated()
    const runtime = createTestRuntime()
    const components = createRegistry([...library, gate.component])
    const jobs = jobsWith({ runtime, components })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const { id } = await jobs.start({ flow: flow.toJSON() })
    await gate.begun(1)
    const closed = jobs.close({ timeoutMs: 5000 })
    await runtime.advance(4999)
    expect(gate.stopped).toEqual([])
    await expect(jobs.start({ flow: plain })).rejects.toMatchObject({ status: 503 })
    await runtime.advance(1)
    await closed
    expect(gate.stopped).toEqual(['-'])
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'interrupted' } })
  })
})

describe('events that cannot be written', () => {
  test('FE-60: an event that the log refuses fails the job, for its readers too', async () => {
    const store = createMemoryJobStore()
    let appends = 0
    const log = {
      ...store.log,
      append: async (...given: Parameters<typeof store.log.append>) => {
        appends += 1
        if (appends === 2) throw new Error('the disk is full')
        await store.log.append(...given)
      },
    }
    const told: unknown[] = []
    const jobs = jobsWith({ store: { ...store, log }, onError: (error) => told.push(error) })
    const { id } = await jobs.start({ flow: plain, resumable: true })
    const events = await collectEvents(jobs.events(id))
    expect(kinds(events).slice(-2)).toEqual(['error', 'end'])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'internal' } })
    expect(told).toHaveLength(1)
  })
})

describe('writing events to the log', () => {
  test('FE-62: tokens are published at once and appended in batches of 64, or after 50 ms', async () => {
    let more = (_count: number): void => undefined
    const talking = defineComponent({
      type: 'Talking',
      inputs: {},
      outputs: {
        out: output.message({
          run: (_inputs, ctx) =>
            new Promise((resolve) => {
              more = (count) => {
                if (count === 0) resolve('')
                for (let at = 0; at < count; at += 1) ctx.token('x', 'm')
              }
            }),
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(talking, { id: 'Talking-1' })
    const store = createMemoryJobStore()
    const runtime = createTestRuntime()
    const components = createRegistry([talking])
    const jobs = jobsWith({ store, runtime, components })
    const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
    const seen: RunEvent[] = []
    const reading = (async () => {
      for await (const event of jobs.events(id)) seen.push(event)
    })()
    const logged = async (): Promise<number> => (await store.log.read(id, -1, 1000)).length
    await expect.poll(logged).toBe(1)
    await runtime.advance(50)

    more(10)
    await expect.poll(() => seen.length).toBe(11)
    expect(await logged()).toBe(1)
    await runtime.advance(49)
    expect(await logged()).toBe(1)
    await runtime.advance(1)
    expect(await logged()).toBe(11)

    more(64)
    await expect.poll(logged).toBe(75)
    more(0)
    await reading
    expect(kinds(seen).slice(-2)).toEqual(['end_vertex', 'end'])
    expect(await logged()).toBe(77)
  })
})

describe('a cancel before the run of a job starts', () => {
  test('FE-60: a job that is still being prepared runs nothing', async () => {
    const gate = gated()
    const store = createMemoryJobStore()
    let asked = false
    let ready = (): void => undefined
    const held = new Promise<void>((resolve) => {
      ready = resolve
    })
    const checkpoints = {
      ...store.checkpoints,
      async list(jobId: string) {
        asked = true
        await held
        return store.checkpoints.list(jobId)
      },
    }
    // Only a job that was claimed before has checkpoints.
    const claim: JobQueue['claim'] = async (...given) => {
      const job = await store.queue.claim(...given)
      return job === null ? null : { ...job, attempts: job.attempts + 1 }
    }
    const queue = { ...store.queue, claim }
    const components = createRegistry([gate.component])
    const jobs = jobsWith({ store: { ...store, queue, checkpoints }, components })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
    await expect.poll(() => asked).toBe(true)
    await jobs.cancel(id)
    ready()
    const events = await collectEvents(jobs.events(id))
    expect(events).toMatchObject([{ event: 'end', data: { cancelled: true } }])
    expect(gate.started).toEqual([])
    expect((await jobs.get(id))?.state).toBe('cancelled')
  })

  test('FE-60, FE-63: a job that was cancelled while its process died runs nothing', async () => {
    const gate = gated()
    const store = createMemoryJobStore()
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const now = new Date()
    await store.queue.enqueue({
      id: 'job-1',
      flowId: 'flow-1',
      userId: null,
      request: JSON.stringify({ flow: flow.toJSON(), resumable: true }),
      resumable: true,
      createdAt: now,
      lane: '',
      flowVersion: null,
      sessionId: null,
      maxRunningPerUser: null,
      priority: 0,
      maxQueued: null,
    })
    await store.queue.claim('dead process', now, now)
    await store.queue.requestCancel('job-1', now)
    // Another process has queued it again, and this one takes it up.
    await store.queue.expired(new Date(now.getTime() + 1))
    const jobs = jobsWith({ store, components: createRegistry([gate.component]) })
    await jobs.recover()
    expect(kinds(await collectEvents(jobs.events('job-1')))).toEqual(['end'])
    expect(gate.started).toEqual([])
    expect((await jobs.get('job-1'))?.state).toBe('cancelled')
  })

  test('FE-60, FE-63: recover ends jobs with a pending cancel, and neither fails nor requeues them', async () => {
    const store = createMemoryJobStore()
    const now = new Date()
    for (const resumable of [true, false]) {
      await store.queue.enqueue({
        id: `job-${resumable}`,
        flowId: 'flow-1',
        userId: null,
        request: '{"flow":{"nodes":[],"edges":[]}}',
        resumable,
        createdAt: now,
        lane: '',
        flowVersion: null,
        sessionId: null,
        maxRunningPerUser: null,
        priority: 0,
        maxQueued: null,
      })
      await store.queue.claim('dead process', now, now)
      await store.queue.requestCancel(`job-${resumable}`, now)
    }
    const jobs = jobsWith({ store })
    expect(await jobs.recover()).toEqual({ requeued: [], interrupted: [] })
    for (const id of ['job-true', 'job-false']) {
      const events = await collectEvents(jobs.events(id))
      expect(events).toMatchObject([{ event: 'end', data: { cancelled: true } }])
      expect((await jobs.get(id))?.state).toBe('cancelled')
    }
  })
})
