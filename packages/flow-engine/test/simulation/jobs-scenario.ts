import {
  createBuildJobs,
  createRegistry,
  defineComponent,
  field,
  output,
  type BuildJobs,
} from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import type { JobState, JobStore, StoredJob } from '@x/flow-engine/store'
import type { Break } from './breaks.ts'
import { createHost, type Host, type Network } from './host.ts'
import type { World } from './world.ts'

/** What the seed makes smaller when a failure is narrowed down. */
export interface Size {
  readonly hosts: number
  readonly jobs: number
  readonly faults: number
}

/** A rule that did not hold. */
export class Violation extends Error {}

const LEASE_MS = 15_000
const FAULTS_END_MS = 90_000
const QUIET_MS = 10 * 60_000
const LIMIT = 2
const SCHEDULE_SECONDS = 20
const USERS = ['ada', 'bob']

/** Work on jobs by several processes that crash, freeze and lose the store, each with a clock of its own. */
export async function runJobs(world: World, size: Size, broken?: Break): Promise<void> {
  const start = world.now()
  const memory = createMemoryJobStore()
  const plain: JobStore = {
    ...memory,
    queue: { ...memory.queue, shared: true, now: async () => new Date(world.now()) },
  }
  const store = broken?.(plain, world) ?? plain
  const network: Network = {
    world,
    store,
    faults: 0.01 * size.faults,
    awayUntil: 0,
    lostClaims: 0,
    listeners: new Set(),
  }
  const processes = new Set<{ readonly host: Host; readonly jobs: BuildJobs }>()
  const accepted = new Set<string>()
  let deaths = 0
  /** Processes that were not seen for a while, or left while they could not be reached. */
  let absences = 0
  /** Else processes die by chance: a suspect is charged for the death that a fresh job beside it causes. */
  const isPoisoned = size.faults === 0 || world.chance(0.4)
  let names = 0
  let violation: Violation | undefined
  const fail = (rule: string, text: string): void => {
    violation ??= new Violation(`${rule}: ${text}`)
  }

  const stepOf = (host: Host, type: 'Step' | 'Poison' | 'Ask') =>
    defineComponent({
      type,
      suspends: type === 'Ask',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: {
        out: output.message({
          async run(_inputs, ctx) {
            await began(host, ctx.sessionId, ctx.vertexId)
            if (type === 'Poison') {
              kill(host)
              await new Promise(() => undefined)
            }
            if (type === 'Ask') return JSON.stringify(await ctx.suspend({ sure: true }))
            await host.runtime.sleep(world.between(50, 6000), ctx.signal)
            return 'done'
          },
        }),
      },
    })

  /** An effect begins. */
  const began = async (host: Host, session: string, vertexId: string): Promise<void> => {
    const jobId = ofSession.get(session)
    if (jobId === undefined) return
    world.note(`step ${host.name} ${jobId} ${vertexId}`)
    // The memory store answers in the same turn, so this is what it holds at the moment of the effect.
    const [job, states] = await Promise.all([
      memory.queue.get(jobId),
      memory.checkpoints.list(jobId),
    ])
    if (states.some((one) => one.vertexId === vertexId && one.state.includes('"outputs"')))
      fail('jobs.step-repeated', `${vertexId} of ${jobId} runs again`)
    const holder = holders.get(jobId)
    if (job?.state !== 'running' || holder?.split('/')[0] !== idOf.get(host.name))
      fail(
        'jobs.step-after-lease',
        `${host.name} runs ${vertexId} of ${jobId}, which it does not hold`,
      )
  }

  const ofSession = new Map<string, string>()
  const enqueue = network.store.queue.enqueue.bind(network.store.queue)
  network.store.queue.enqueue = async (job) => {
    await enqueue(job)
    if (job.sessionId !== null) ofSession.set(job.sessionId, job.id)
  }
  /** Who holds each job, as the store has decided. */
  const holders = new Map<string, string>()
  const claim = network.store.queue.claim.bind(network.store.queue)
  network.store.queue.claim = async (...given) => {
    const job = await claim(...given)
    if (job !== null) {
      holders.set(job.id, job.worker)
      world.note(`claimed ${job.id} ${job.worker} ${job.crashes}`)
      await check(job)
    }
    return job
  }
  const finish = network.store.queue.finish.bind(network.store.queue)
  network.store.queue.finish = async (jobId, worker, outcome) => {
    const done = await finish(jobId, worker, outcome)
    world.note(`finished ${jobId} ${worker} ${outcome.state} ${done}`)
    return done
  }
  /** The latest fence under which each log was opened: what an earlier holder writes after that is refused. */
  const fences = new Map<string, number>()
  const { log: events, checkpoints } = network.store
  const [open, append, put] = [
    events.open.bind(events),
    events.append.bind(events),
    checkpoints.put.bind(checkpoints),
  ]
  const guarded = async <Result>(
    [what, jobId, fence = Number.POSITIVE_INFINITY]: readonly [string, string, number | undefined],
    write: () => Promise<Result>,
  ): Promise<Result> => {
    const latest = fences.get(jobId) ?? 0
    const result = await write()
    if (fence < latest)
      fail('jobs.stale-write', `${what} of ${jobId} under ${fence} after ${latest}`)
    return result
  }
  events.open = (jobId, fence) =>
    guarded(['log.open', jobId, fence], async () => {
      const last = await open(jobId, fence)
      fences.set(jobId, Math.max(fence, fences.get(jobId) ?? 0))
      return last
    })
  events.append = (jobId, added, fence) =>
    guarded(['log.append', jobId, fence], () => append(jobId, added, fence))
  checkpoints.put = (jobId, vertexId, state, fence) =>
    guarded(['checkpoints.put', jobId, fence], () => put(jobId, vertexId, state, fence))
  const jobsOf = async (userId: string, states?: readonly JobState[]) => {
    const page = await memory.queue.list?.({ userId, states, offset: 0, limit: 1000 })
    return page?.items ?? []
  }
  const check = async ({ userId, lane }: StoredJob): Promise<void> => {
    if (userId === null) return
    const items = await jobsOf(userId, ['running'])
    if (items.filter((one) => one.lane === lane).length > LIMIT)
      fail('jobs.limit', `${userId} runs more than ${LIMIT} jobs`)
  }

  /** The names by which hosts claim. */
  const idOf = new Map<string, string>()
  const boot = (): void => {
    const host = createHost(network, `p${(names += 1)}`)
    if (size.faults > 0 && world.chance(0.3)) host.skew(world.between(-120_000, 120_000))
    idOf.set(host.name, `${host.name}-1`)
    const jobs = createBuildJobs({
      components: createRegistry([
        stepOf(host, 'Step'),
        stepOf(host, 'Poison'),
        stepOf(host, 'Ask'),
      ]),
      store: host.store,
      runtime: host.runtime,
      leaseMs: LEASE_MS,
      concurrency: 4,
      concurrencyPerUser: LIMIT,
      limits: { vertexTimeoutMs: null, runTimeoutMs: null },
      onError: (error, { jobId }) =>
        world.note(`error ${host.name} ${jobId ?? ''} ${(error as Error).message}`),
    })
    processes.add({ host, jobs })
    world.note(`start ${host.name}`)
    const begin = (): void => {
      jobs.recover().catch(() => world.at(world.now() + 1000, begin))
    }
    begin()
  }
  const alive = () => [...processes].filter(({ host }) => !host.dead())
  const kill = (host: Host): void => {
    if (host.dead()) return
    deaths += 1
    host.die()
    world.at(world.now() + world.between(500, 20_000), boot)
  }
  const anyone = () => {
    const living = alive()
    return living[world.between(0, living.length - 1)]
  }
  const flow = (types: readonly string[]) => {
    const host = anyone()?.host
    const draft = flowBuilder()
    if (host === undefined) return draft.toJSON()
    const made = {
      Step: stepOf(host, 'Step'),
      Poison: stepOf(host, 'Poison'),
      Ask: stepOf(host, 'Ask'),
    }
    types.forEach((type, n) => {
      draft.add(made[type as 'Step'], { id: `${type}-${n}` })
      if (n > 0) draft.connect(`${types[n - 1]}-${n - 1}.out`, `${type}-${n}.text`)
    })
    return draft.toJSON()
  }
  const client = (n: number): void => {
    const by = anyone()
    if (by === undefined) return
    const kind =
      n === 0 && isPoisoned
        ? 'poison'
        : ((['plain', 'plain', 'asks', 'single'] as const)[n % 4] ?? 'plain')
    const steps = Array.from({ length: world.between(1, 4) }, () => 'Step')
    const types =
      kind === 'poison' ? ['Poison'] : kind === 'asks' ? [...steps, 'Ask', 'Step'] : steps
    const request = {
      flow: flow(types),
      resumable: kind !== 'single',
      userId: USERS[world.between(0, 1)] ?? 'ada',
      flowId: kind,
      sessionId: `session-${n}`,
    }
    by.jobs.start(request).then(
      ({ id }) => accepted.add(id),
      () => world.note('refused start'),
    )
  }
  /** Answers what is asked, often twice. */
  const answer = async (): Promise<void> => {
    const by = anyone()
    if (by === undefined) return
    const times = world.chance(0.5) ? 2 : 1
    for (const { jobId, requestId } of await by.jobs.pending())
      for (let n = 0; n < times; n += 1) {
        const other = anyone() ?? by
        other.jobs.resume(jobId, { n }, { requestId }).catch(() => undefined)
      }
  }
  const answerSoon = (): void => void answer().catch(() => undefined)
  const fault = (): void => {
    const target = anyone()
    if (target === undefined) return
    const { host, jobs } = target
    const kind = world.between(0, 7)
    if (kind === 2 || kind === 3) absences += 1
    if (kind <= 1) {
      if (!isPoisoned && deaths < 2) kill(host)
    } else if (kind === 2) host.freeze(world.between(1000, 40_000))
    else if (kind === 3) host.partition(world.between(1000, 40_000))
    else if (kind === 4) host.skew(world.between(-120_000, 120_000))
    else if (kind === 5) {
      world.note('store-away')
      network.awayUntil = world.now() + world.between(500, 20_000)
    } else if (kind === 6) {
      world.note(`sigterm ${host.name}`)
      processes.delete(target)
      const gone = (): void => {
        absences += 1
        host.die()
        boot()
      }
      jobs.close({ timeoutMs: 8000 }).then(gone, gone)
      world.at(world.now() + 10_000, () => {
        if (!host.dead()) gone()
      })
    }
  }

  for (let n = 0; n < size.hosts; n += 1) boot()
  for (let n = 0; n < size.jobs; n += 1)
    world.at(start + world.between(1000, 60_000), () => client(n))
  for (let time = 0; time < FAULTS_END_MS + 60_000; time += 5000)
    world.at(start + time + world.between(0, 4000), answerSoon)
  world.at(start + 3000, () => {
    const request = { flow: flow(['Step']), userId: 'cron', flowId: 'scheduled', resumable: true }
    const cron = `*/${SCHEDULE_SECONDS} * * * * *`
    const until = new Date(start + FAULTS_END_MS)
    anyone()
      ?.jobs.schedule('every', { cron, request, until })
      .catch(() => undefined)
  })
  for (let n = 0; n < size.faults * 6; n += 1)
    world.at(start + world.between(4000, FAULTS_END_MS), fault)

  await world.run(start + FAULTS_END_MS, () => violation !== undefined)
  network.faults = 0
  network.awayUntil = 0
  /** Looks in a row that found no open job: the end of the last one gets into its log meanwhile. */
  let quiet = 0
  const count = async (): Promise<void> => {
    const { queued = 0, running = 0, suspended = 0 } = (await memory.queue.countOpen?.()) ?? {}
    quiet = queued + running + suspended === 0 ? quiet + 1 : 0
  }
  const look = (): void => {
    void count()
    world.at(world.now() + 1000, answerSoon)
    world.at(world.now() + 2000, look)
  }
  look()
  await world.run(start + FAULTS_END_MS + 5000, () => violation !== undefined)
  await world.run(start + FAULTS_END_MS + QUIET_MS, () => violation !== undefined || quiet > 3)
  if (violation !== undefined) throw violation
  await checkEnds()

  async function checkEnds(): Promise<void> {
    const all = (await Promise.all([...USERS, 'cron'].map((userId) => jobsOf(userId)))).flat()
    for (const id of accepted)
      if (!all.some((job) => job.id === id)) throw new Violation(`jobs.lost: ${id} is gone`)
    const scheduled = all.filter(({ flowId }) => flowId === 'scheduled').length
    const due = Math.floor(FAULTS_END_MS / 1000 / SCHEDULE_SECONDS)
    if (scheduled > due)
      throw new Violation(`jobs.schedule: ${scheduled} jobs for ${due} due times`)
    if (scheduled === 0 && (await memory.schedules?.get('every')) !== null)
      throw new Violation('jobs.schedule: no due time has a job')
    for (const job of all) {
      const { id, state, flowId, error, crashes } = job
      const about = `${flowId} job ${id}`
      if (job.finishedAt === null) throw new Violation(`jobs.stuck: ${about} is ${state}`)
      const log = await memory.log.read(id, -1, 100_000)
      if (log.some(({ seq }, n) => seq !== n)) throw new Violation(`jobs.log-gap: ${about}`)
      const ends = log.filter(({ event }) => event === 'end').length
      if (ends !== 1 || log.at(-1)?.event !== 'end')
        throw new Violation(`jobs.one-end: ${about} has ${ends} ends`)
      const built = log.filter(({ event }) => event === 'end_vertex').length
      if (state === 'succeeded' && built === 0) throw new Violation(`jobs.empty: ${about}`)
      if (crashes > deaths + absences + network.lostClaims)
        throw new Violation(`jobs.crashes: ${about} has ${crashes}, ${deaths} died`)
      const mayFail = flowId === 'poison' || flowId === 'single'
      if (state !== 'succeeded' && !mayFail)
        throw new Violation(`jobs.failed: ${about} is ${state}, ${error?.detail ?? ''}`)
      if (flowId === 'poison' && state !== 'failed')
        throw new Violation(`jobs.poison: ${about} is ${state}`)
    }
  }
}
