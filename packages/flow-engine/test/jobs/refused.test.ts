import { afterEach, describe, expect, test } from 'vitest'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { begin, closeAll, component, flowOf, processOf, state } from './asking.ts'

afterEach(closeAll)

describe('a log that refuses events', () => {
  test('DR-13: a refused append ends the run at once; only error and end follow in the log', async () => {
    const started: string[] = []
    const waits = component('Waits', async (ctx) => {
      started.push('Waits')
      await new Promise((_resolve, reject) =>
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
      )
      return 'never'
    })
    const store = createMemoryJobStore()
    let appends = 0
    const log = {
      ...store.log,
      append: async (...parameters: Parameters<typeof store.log.append>) => {
        appends += 1
        if (appends === 2) throw new Error('disk full')
        return store.log.append(...parameters)
      },
    }
    const told: string[] = []
    const jobs = processOf([waits, component('Up', async () => 'ok')], {
      store: { ...store, log },
      observer: { finished: ({ state: how }) => told.push(how) },
    })
    const { id } = await begin(jobs, [waits, component('Up', async () => 'ok')])
    await state(jobs, id, 'failed')
    await expect.poll(() => told).toEqual(['failed'])
    expect(started).toEqual(['Waits'])
    expect(await jobs.get(id)).toMatchObject({ error: { code: 'internal' } })
    const events = await store.log.read(id, -1, 100)
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect(events.filter(({ event }) => event === 'end')).toHaveLength(1)
  })

  test('DR-13: a log that hangs ends a run that keeps sending events', async () => {
    const talks = component('Talks', async (ctx) => {
      for (let n = 0; n < 40 && !ctx.signal.aborted; n += 1) {
        ctx.log('words', 'x'.repeat(1000))
        await ctx.sendMessage({ ...message, text: 'x'.repeat(1024 * 1024) })
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      said = ctx.signal.aborted ? 'stopped' : 'all'
      return 'end'
    })
    const { createMessage } = await import('@x/flow-engine')
    const message = createMessage('x')
    let said = ''
    const store = createMemoryJobStore()
    let free = (): void => undefined
    const hanging = new Promise<void>((resolve) => (free = resolve))
    const log = {
      ...store.log,
      append: async (...parameters: Parameters<typeof store.log.append>) => {
        await hanging
        return store.log.append(...parameters)
      },
    }
    const errors: unknown[] = []
    const jobs = processOf([talks], {
      store: { ...store, log },
      onError: (error) => errors.push(error),
    })
    const { id } = await begin(jobs, [talks], { sessionId: 's' })
    await expect.poll(() => said).toBe('stopped')
    free()
    await state(jobs, id, 'failed')
    expect(await jobs.get(id)).toMatchObject({ error: { code: 'store_unavailable' } })
    expect(errors).toMatchObject([{ code: 'store_unavailable' }])
  })
})

describe('host callbacks that throw', () => {
  test('DR-15: the run continues when observer, recorder and onError throw; each error is reported once', async () => {
    const up = component('Up', async () => 'ok')
    const bad = (name: string) => (): never => {
      throw new Error(name)
    }
    const cases: [string, NonNullable<BuildJobsOptions['observer']>][] = [
      ['started', { started: bad('started') }],
      ['finished', { finished: bad('finished') }],
      ['recorder', { recorder: bad('recorder') }],
      [
        'inputs',
        {
          recorder: () => ({
            inputs: bad('inputs'),
            built: () => undefined,
            watch: async () => undefined,
          }),
        },
      ],
      [
        'built',
        {
          recorder: () => ({
            inputs: () => undefined,
            built: bad('built'),
            watch: async () => undefined,
          }),
        },
      ],
      [
        'watch',
        {
          recorder: () => ({
            inputs: () => undefined,
            built: () => undefined,
            watch: async () => bad('watch')(),
          }),
        },
      ],
    ]
    for (const [name, observer] of cases) {
      const errors: [string, string | undefined][] = []
      const jobs = processOf([up], {
        observer,
        onError(error, { jobId }) {
          errors.push([(error as Error).message, jobId])
          throw new Error('the report fails too')
        },
      })
      const { id } = await begin(jobs, [up])
      expect((await jobs.result(id)).text('Up-1')).toBe('ok')
      await expect.poll(() => errors).toEqual([[name, id]])
      expect((await jobs.get(id))?.state).toBe('succeeded')
    }
  })
})

describe('limits on the memory of a process', () => {
  test(
    'DR-19: the oldest of 120 results of 2 MB are rebuilt from the log',
    { tags: ['long'] },
    async () => {
      const large = component('Large', async () => 'x'.repeat(1024 * 1024 + 1))
      const jobs = processOf([large], { concurrency: 4, concurrencyPerUser: null })
      const ids: string[] = []
      for (let n = 0; n < 120; n += 1) {
        const { id } = await begin(jobs, [large])
        await jobs.result(id)
        ids.push(id)
      }
      const kept = await Promise.all(
        ids.map(async (id) => {
          const result = await jobs.result(id)
          try {
            return result.text('Large-1') !== undefined
          } catch (error) {
            if ((error as { code?: unknown }).code === 'too_large') return false
            throw error
          }
        }),
      )
      expect(kept.at(-1)).toBe(true)
      expect(kept.filter(Boolean).length).toBeLessThanOrEqual(16)
      expect((await jobs.result(ids[0] ?? '')).status).toBe('succeeded')
    },
  )

  test('DR-19: 16 MiB of a running job are held in memory; earlier events are read from its log', async () => {
    const { createMessage } = await import('@x/flow-engine')
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    const talks = component('Talks', async (ctx) => {
      for (let n = 0; n < 24; n += 1)
        await ctx.sendMessage(createMessage(`${n} ${'x'.repeat(1024 * 1024)}`))
      await ended
      return 'end'
    })
    const store = createMemoryJobStore()
    const asked: number[] = []
    const log = {
      ...store.log,
      read: (...parameters: Parameters<typeof store.log.read>) => {
        asked.push(parameters[1])
        return store.log.read(...parameters)
      },
    }
    const jobs = processOf([talks], { store: { ...store, log } })
    const { id } = await begin(jobs, [talks], { sessionId: 's' })
    const texts: string[] = []
    let last = -1
    for await (const { seq, event, data } of jobs.events(id)) {
      expect(seq).toBe(last + 1)
      last = seq
      if (event === 'add_message') texts.push(data.text.split(' ')[0] ?? '')
      if (texts.length === 24) break
    }
    asked.length = 0
    const again: string[] = []
    for await (const { event, data } of jobs.events(id)) {
      if (event === 'add_message') again.push(data.text.split(' ')[0] ?? '')
      if (again.length === 24) break
    }
    expect(again).toEqual(texts)
    expect(asked[0]).toBe(-1)
    asked.length = 0
    expect((await jobs.poll(id, { after: last - 1 })).events).toHaveLength(1)
    expect(asked).toEqual([])
    end()
    expect((await jobs.result(id)).status).toBe('succeeded')
  })

  test(
    'DR-19: positions of 10,000 readers are kept; an evicted reader starts again',
    { tags: ['long'] },
    async () => {
      const up = component('Up', async () => 'ok')
      const jobs = processOf([up])
      const { id } = await begin(jobs, [up])
      await jobs.result(id)
      const first = await jobs.poll(id, { reader: 'first' })
      expect((await jobs.poll(id, { reader: 'first' })).events).toMatchObject([{ event: 'end' }])
      for (let n = 0; n < 10_000; n += 1) await jobs.poll(id, { reader: `${n}` })
      expect((await jobs.poll(id, { reader: 'first' })).events).toEqual(first.events)
      expect((await jobs.poll(id, { reader: '9999' })).events).toMatchObject([{ event: 'end' }])
    },
  )
})

describe('requests for a job', () => {
  const hanging = component('Hangs', () => new Promise<string>(() => undefined))

  test('DR-23: result rejects with the reason of its signal, even when already aborted', async () => {
    const jobs = processOf([hanging])
    const { id } = await begin(jobs, [hanging])
    const controller = new AbortController()
    const result = jobs.result(id, { signal: controller.signal })
    controller.abort(new Error('no time'))
    await expect(result).rejects.toThrow('no time')
    await expect(jobs.result(id, { signal: controller.signal })).rejects.toThrow('no time')
  })

  test('DR-16: cancelling a job that has ended writes no second end', async () => {
    const up = component('Up', async () => 'ok')
    const store = createMemoryJobStore()
    const jobs = processOf([up], { store })
    const { id } = await begin(jobs, [up])
    const [, ...cancelled] = await Promise.all([jobs.result(id), jobs.cancel(id), jobs.cancel(id)])
    await jobs.cancel(id)
    expect(cancelled).toEqual([{ success: true }, { success: true }])
    const events = await store.log.read(id, -1, 100)
    expect(events.filter(({ event }) => event === 'end')).toEqual([events.at(-1)])
  })

  test('DR-9: an invalid combination of lease and heartbeat is refused, with both numbers', () => {
    const cases = [
      [600, 400],
      [99, 10],
      [1000, 0],
      [1000, -1],
      [1000, Number.NaN],
      [Number.NaN, 10],
    ] as const
    for (const [leaseMs, heartbeatMs] of cases)
      expect(() => createBuildJobs({ leaseMs, heartbeatMs })).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          detail: expect.stringMatching(new RegExp(`${leaseMs}.*${heartbeatMs}`)),
        }),
      )
    const jobs: BuildJobs = createBuildJobs({ leaseMs: 600 })
    return jobs.close()
  })

  test('DR-17: Infinity means no limit; an invalid limit is refused by name', async () => {
    const up = component('Up', async () => 'ok')
    const jobs = processOf([up], {
      limits: { vertexTimeoutMs: Number.POSITIVE_INFINITY, runTimeoutMs: Number.POSITIVE_INFINITY },
    })
    const { id } = await begin(jobs, [up])
    expect((await jobs.result(id)).status).toBe('succeeded')
    for (const bad of [Number.NaN, -1, '5']) {
      const limits = { events: bad } as never
      expect(() => createBuildJobs({ limits })).toThrow(
        'limits.events must be a number of 0 or more, null or Infinity',
      )
      await expect(jobs.start({ flow: flowOf(up), limits })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    }
  })
})
