import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, defineComponent, field, output, type FlowJson } from '@x/flow-engine'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createMemoryFlowStore } from '@x/flow-service/memory'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import type { JobStore } from '@x/flow-engine/store'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'
import { closeAll, closeLater } from '../../../flow-engine/test/jobs/asking.ts'

const MINUTE = 60_000
afterEach(closeAll)

/** Notes the times at which it runs. */
function noting(runtime: ReturnType<typeof createTestRuntime>) {
  const ran: string[] = []
  const component = defineComponent({
    type: 'Noting',
    inputs: { text: field.string({ default: 'ran' }) },
    outputs: {
      out: output.message({
        run: ({ text }) => {
          ran.push(`${runtime.now().toISOString().slice(0, 19)} ${text}`)
          return text
        },
      }),
    },
  })
  const flow = flowBuilder()
  flow.add(component, { id: 'Noting-1' })
  return { ran, components: createRegistry([component]), flow: flow.toJSON() }
}

function prepared(start = '2030-01-01T00:00:00Z') {
  const runtime = createTestRuntime({ start: new Date(start) })
  return { runtime, ...noting(runtime) }
}

function jobsOn(options: BuildJobsOptions): BuildJobs {
  const jobs = createBuildJobs(options)
  closeLater(jobs)
  return jobs
}

const shared = (store: JobStore): JobStore => ({
  ...store,
  queue: { ...store.queue, shared: true },
})

describe('schedules', () => {
  test('DR-58: a job starts within 5 s of each scheduled time, and its record is reported', async () => {
    const { runtime, ran, components, flow } = prepared()
    const jobs = jobsOn({ runtime, components })
    const made = await jobs.schedule('reports', {
      cron: '*/10 * * * *',
      request: { flow, flowId: 'flow-1', userId: 'ada', tweaks: { 'Noting-1': { text: 'x' } } },
    })
    expect(made).toEqual({
      id: 'reports',
      cron: '*/10 * * * *',
      timeZone: 'UTC',
      userId: 'ada',
      flowId: 'flow-1',
      nextAt: new Date('2030-01-01T00:10:00Z'),
      lastAt: null,
      lastJobId: null,
    })
    await runtime.advance(9 * MINUTE + 59_000)
    expect(ran).toEqual([])
    await runtime.advance(6000)
    await runtime.advance(20 * MINUTE)
    expect(ran).toEqual(
      ['00:10', '00:20', '00:30'].map((at) => expect.stringMatching(at) as string),
    )
    const [record] = await jobs.schedules()
    expect(record).toMatchObject({
      nextAt: new Date('2030-01-01T00:40:00Z'),
      lastAt: new Date('2030-01-01T00:30:00Z'),
    })
    const job = await jobs.get(record?.lastJobId ?? '', { userId: 'ada' })
    expect(job).toMatchObject({ state: 'succeeded', flowId: 'flow-1', userId: 'ada' })
  })

  test('DR-58: six fields include seconds; time zones and daylight saving apply; until ends the schedule', async () => {
    const { runtime, components, flow } = prepared('2030-03-30T12:00:00Z')
    const jobs = jobsOn({ runtime, components })
    const next = async (cron: string, more: object = {}) =>
      (await jobs.schedule('one', { cron, request: { flow }, ...more })).nextAt?.toISOString()
    expect(await next('30 15 9 * * *')).toBe('2030-03-31T09:15:30.000Z')
    // Summer time begins in the night before.
    expect(await next('0 9 * * *', { timeZone: 'Europe/Berlin' })).toBe('2030-03-31T07:00:00.000Z')
    expect(await next('0 9 30 3 *', { timeZone: 'America/New_York' })).toBe(
      '2030-03-30T13:00:00.000Z',
    )
    const until = new Date('2030-03-30T12:01:30Z')
    expect(await next('* * * * *', { until })).toBe('2030-03-30T12:01:00.000Z')
    await runtime.advance(5 * MINUTE)
    expect(await jobs.schedules()).toMatchObject([
      { nextAt: null, lastAt: new Date('2030-03-30T12:01:00Z') },
    ])
  })

  test.each([
    ['skip', ['2030-01-01T05:00:0'], '05:00'],
    ['once', ['2030-01-01T04:30:0', '2030-01-01T05:00:0'], '05:00'],
  ] as const)('DR-58: missed %s while no process was running', async (missed, expected, last) => {
    const { runtime, ran, components, flow } = prepared()
    const store = createMemoryJobStore()
    const first = createBuildJobs({ runtime, components, store })
    await first.schedule('hourly', { cron: '0 * * * *', missed, request: { flow } })
    await first.close({ timeoutMs: 0 })
    await runtime.advance(4 * 60 * MINUTE + 30 * MINUTE)
    expect(ran).toEqual([])
    const second = jobsOn({ runtime, components, store })
    await second.recover()
    await runtime.advance(0)
    // A host that schedules again when it starts forgets nothing.
    await second.schedule('hourly', { cron: '0 * * * *', missed, request: { flow } })
    await runtime.advance(31 * MINUTE)
    expect(ran.map((line) => line.slice(0, 18))).toEqual(expected)
    expect(await second.schedules()).toMatchObject([
      { lastAt: new Date(`2030-01-01T${last}:00Z`), nextAt: new Date('2030-01-01T06:00:00Z') },
    ])
  })

  test('DR-58: each scheduled time starts one job, even with several processes', async () => {
    const { runtime, ran, components, flow } = prepared()
    const store = shared(createMemoryJobStore())
    const processes = Array.from({ length: 4 }, () => jobsOn({ runtime, components, store }))
    await Promise.all(processes.map((jobs) => jobs.recover()))
    await processes[0]?.schedule('each', { cron: '* * * * *', request: { flow } })
    await runtime.advance(5 * MINUTE + 10_000)
    const minutes = ran.map((line) => line.slice(0, 16))
    expect(minutes).toEqual([1, 2, 3, 4, 5].map((n) => `2030-01-01T00:0${n}`))
  })

  test('DR-58: no second job starts when a process ends before it stores the next time', async () => {
    const { runtime, ran, components, flow } = prepared()
    const kept = createMemoryJobStore()
    const dying = { ...kept.schedules, advance: () => Promise.reject(new Error('killed')) }
    const seen: unknown[] = []
    const first = createBuildJobs({
      runtime,
      components,
      store: { ...kept, schedules: dying as typeof kept.schedules & object },
      onError: (error) => void seen.push(error),
    })
    await first.schedule('each', { cron: '* * * * *', request: { flow } })
    await runtime.advance(MINUTE + 6000)
    expect(ran).toHaveLength(1)
    await first.close({ timeoutMs: 0 })
    expect(seen.length).toBeGreaterThan(0)
    const second = jobsOn({ runtime, components, store: kept })
    await second.recover()
    await runtime.advance(20_000)
    expect(ran).toHaveLength(1)
    expect(await second.schedules()).toMatchObject([{ lastAt: new Date('2030-01-01T00:01:00Z') }])
  })

  test('DR-58, DR-37: the owner is authorized for each job; a refusal fails the job as forbidden', async () => {
    const { runtime, ran, components, flow } = prepared()
    let may = true
    const jobs = jobsOn({ runtime, components, authorize: ({ userId }) => userId === 'ada' && may })
    await jobs.schedule('each', { cron: '* * * * *', request: { flow, userId: 'ada' } })
    await runtime.advance(MINUTE + 6000)
    expect(ran).toHaveLength(1)
    may = false
    await runtime.advance(MINUTE)
    expect(ran).toHaveLength(1)
    const [record] = await jobs.schedules({ userId: 'ada' })
    const job = await jobs.get(record?.lastJobId ?? '')
    expect(job).toMatchObject({ state: 'failed', error: { code: 'forbidden' } })
  })

  test('DR-58: an invalid schedule is refused, naming the problem', async () => {
    const { runtime, components, flow } = prepared()
    const jobs = jobsOn({ runtime, components, maxSchedules: 1 })
    const refused = async (more: object, part: string): Promise<void> => {
      const entry = { cron: '0 9 * * *', request: { flow }, ...more }
      await expect(jobs.schedule('one', entry)).rejects.toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining(part) as string,
      })
    }
    for (const cron of ['', 'x', '* * * *', '61 * * * *', '* * * * * * *', '@daily', 5])
      await refused({ cron }, 'cron')
    await refused({ cron: '0 0 30 2 *' }, 'no future time')
    await refused({ timeZone: 'Mars/Olympus' }, 'Mars/Olympus')
    await refused({ missed: 'all' }, 'missed')
    await refused({ until: new Date(Number.NaN) }, 'until')
    await refused({ request: { flow, services: {} } }, 'request.services')
    await expect(
      jobs.schedule('x'.repeat(201), { cron: '0 9 * * *', request: { flow } }),
    ).rejects.toMatchObject({ code: 'invalid_request' })

    await jobs.schedule('one', { cron: '0 9 * * *', request: { flow, userId: 'ada' } })
    await expect(
      jobs.schedule('one', { cron: '0 9 * * *', request: { flow, userId: 'bob' } }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await expect(
      jobs.schedule('two', { cron: '0 9 * * *', request: { flow, userId: 'ada' } }),
    ).rejects.toMatchObject({ code: 'limit_exceeded', status: 429 })
    expect(await jobs.unschedule('one', { userId: 'bob' })).toBe(false)
    expect(await jobs.unschedule('one', { userId: 'ada' })).toBe(true)
    expect(await jobs.unschedule('one')).toBe(false)
    expect(await jobs.schedules()).toEqual([])
  })

  test('DR-58: a store without schedules refuses schedules but runs jobs', async () => {
    const { runtime, ran, components, flow } = prepared()
    const { schedules: _, ...store } = createMemoryJobStore()
    const jobs = jobsOn({ runtime, components, store })
    await expect(
      jobs.schedule('one', { cron: '* * * * *', request: { flow } }),
    ).rejects.toMatchObject({ code: 'not_resumable' })
    await expect(jobs.schedules()).rejects.toMatchObject({ code: 'not_resumable' })
    await jobs.result((await jobs.start({ flow })).id)
    expect(ran).toHaveLength(1)
  })

  test('DR-58: a full queue delays a job; a sealed request that cannot be opened is reported', async () => {
    const { runtime, ran, components, flow } = prepared()
    const store = createMemoryJobStore()
    const seen: unknown[] = []
    const secrets = {
      seal: async (text: string, context: string) => `${context} ${text}`,
      open: async (sealed: string, context: string) =>
        sealed.startsWith(context) ? sealed.slice(context.length + 1) : null,
    }
    const onError = (error: unknown): void => void seen.push(error)
    const jobs = jobsOn({
      runtime,
      components,
      store,
      secrets,
      concurrency: 0,
      maxQueued: 1,
      onError,
    })
    const request = { flow, tweaks: { 'Noting-1': { text: 'secret' } } }
    await jobs.schedule('each', { cron: '0 * * * *', request })
    expect((await store.schedules?.get('each'))?.request).toContain('schedule:each')
    const { id } = await jobs.start({ flow })
    await runtime.advance(60 * MINUTE + 6000)
    expect(seen.some((error) => String(error).includes('waiting'))).toBe(true)
    await jobs.cancel(id)
    await runtime.advance(10_000)
    const [record] = await jobs.schedules()
    expect(record?.lastAt).toEqual(new Date('2030-01-01T01:00:00Z'))
    await jobs.close({ timeoutMs: 0 })

    const others = { ...secrets, open: async () => null }
    const second = jobsOn({ runtime, components, store, secrets: others, onError })
    seen.length = 0
    await second.recover()
    await runtime.advance(60 * MINUTE)
    expect(seen.some((error) => String(error).includes('secret key'))).toBe(true)
    expect(ran.filter((line) => line.endsWith('secret'))).toEqual([])
  })
})

describe('schedules of a service', () => {
  const flowInput = (data: FlowJson['data']) => ({
    name: 'Scheduled',
    data: JSON.stringify(data),
    description: null,
    icon: null,
    iconBgColor: null,
    gradient: null,
    isComponent: false,
    webhook: false,
    endpointName: null,
    tags: null,
    locked: false,
    mcpEnabled: false,
    actionName: null,
    actionDescription: null,
    accessType: 'PRIVATE' as const,
    folderId: null,
    fsPath: null,
  })

  test('DR-58, DR-37: schedules run as their owner and are removed with the flow or the user', async () => {
    const { runtime, ran, components, flow } = prepared()
    const store = createMemoryFlowStore()
    const engine = await createTestEngine({ store, components, runtime })
    closeLater(engine.jobs)
    const ada = await engine.services.users.create({
      username: 'ada',
      password: 'a password of ada',
      isActive: true,
    })
    const admin = await store.users.get(engine.adminId)
    if (admin === null) throw new Error('There is no admin')
    const caller = (id: string) => ({
      id,
      username: '',
      isSuperuser: true,
      via: 'host' as const,
      record: admin,
    })
    const [own] = await engine.services.flows.create(caller(ada.id), [flowInput(flow.data)])
    const flowId = own?.id ?? ''
    const request = { flow, flowId, userId: ada.id }
    await engine.jobs.schedule('hers', { cron: '* * * * *', request })
    await engine.jobs.schedule('later', { cron: '0 0 1 1 *', request: { flow, userId: ada.id } })
    await runtime.advance(MINUTE + 6000)
    expect(ran).toHaveLength(1)

    await engine.services.users.patch(caller(engine.adminId), ada.id, { isActive: false })
    await runtime.advance(MINUTE)
    expect(ran).toHaveLength(1)
    const [, hers] = (await engine.jobs.schedules()).toReversed()
    expect(await engine.jobs.get(hers?.lastJobId ?? '')).toMatchObject({
      error: { code: 'forbidden' },
    })

    await engine.services.flows.remove(caller(ada.id), [flowId])
    expect((await engine.jobs.schedules()).map(({ id }) => id)).toEqual(['later'])
    await engine.services.users.remove(caller(engine.adminId), ada.id)
    expect(await engine.jobs.schedules()).toEqual([])
  })
})
