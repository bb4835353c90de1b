import { needs } from '@x/test-kit/needs'
import { setTimeout } from 'node:timers/promises'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { createBullMqQueue } from '@x/flow-engine/bullmq'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { startRedis } from '../server/redis-server.ts'
import { inFolder } from '../server/start-server.ts'

const GONE_MS = 30_000

/** A component that works until the test lets it go; how often each name began is counted. */
function gatedWork() {
  const begun = new Map<string, number>()
  const open = new Set<string>()
  const component = defineComponent({
    type: 'Work',
    idempotent: true,
    inputs: { name: field.string() },
    outputs: {
      out: output.message({
        async run({ name }, ctx) {
          begun.set(name, (begun.get(name) ?? 0) + 1)
          while (!open.has(name)) {
            ctx.signal.throwIfAborted()
            await setTimeout(50)
          }
          return name
        },
      }),
    },
  })
  const flowOf = (name: string) => {
    const flow = flowBuilder()
    flow.add(component, { id: 'Work-1', values: { name } })
    return flow.toJSON()
  }
  return { begun, open, component, flowOf }
}

test(
  'OP-20: builds are refused while the Redis of BullMQ is down; afterwards each accepted build ends exactly once',
  { ...needs('redis-server'), timeout: 200_000 },
  () =>
    inFolder(async (folder) => {
      const redis = await startRedis(folder)
      const work = gatedWork()
      const { log, bus, checkpoints } = createMemoryJobStore()
      const errors: unknown[] = []
      const processes: { jobs: BuildJobs; end: () => Promise<void> }[] = []
      const start = (): BuildJobs => {
        const queue = createBullMqQueue({ connection: redis.url, onError: () => undefined })
        const jobs = createBuildJobs({
          store: { queue, log, bus, checkpoints },
          components: createRegistry([work.component]),
          leaseMs: 6000,
          concurrency: 2,
          onError: (error) => errors.push(error),
        })
        const end = async (): Promise<void> => {
          await jobs.close({ timeoutMs: 0 })
          await queue.close()
        }
        processes.push({ jobs, end })
        return jobs
      }
      try {
        const [one, two] = [start(), start()]
        await two.recover()
        const request = (name: string, resumable: boolean) => ({
          flow: work.flowOf(name),
          resumable,
        })
        const accepted = new Map<string, string>()
        const accept = async (name: string, resumable: boolean): Promise<void> => {
          accepted.set(name, (await one.start(request(name, resumable))).id)
        }
        // Four places in all: two of each process; the fifth and sixth wait.
        for (const name of ['a', 'b', 'c', 'd']) await accept(name, name > 'b')
        await expect.poll(() => work.begun.size, { timeout: 20_000 }).toBe(4)
        for (const name of ['e', 'f']) await accept(name, name > 'e')

        await redis.stop()
        const began = Date.now()
        await expect(one.start(request('refused', true))).rejects.toMatchObject({
          name: 'StoreUnavailableError',
        })
        // In the outage two of those that run are finished with their work.
        for (const name of ['a', 'c']) work.open.add(name)
        await setTimeout(GONE_MS - (Date.now() - began))
        await redis.start()
        for (const name of accepted.keys()) work.open.add(name)

        const ended = async (): Promise<string[]> => {
          const states = [...accepted.values()].map(async (id) => (await two.get(id))?.state ?? '?')
          return await Promise.all(states)
        }
        await expect
          .poll(ended, { timeout: 90_000, interval: 500 })
          .toSatisfy((states: string[]) =>
            states.every((state) => ['succeeded', 'failed'].includes(state)),
          )
        const outcomes = Object.fromEntries([...accepted.keys()].map((name, at) => [name, at]))
        const states = await ended()
        // What can be resumed, and what had not begun, succeeds; the rest may have lost its process's word.
        for (const name of ['c', 'd', 'e', 'f'])
          expect([name, states[outcomes[name] ?? -1]]).toEqual([name, 'succeeded'])
        for (const [name, id] of accepted) {
          const kinds = (await log.read(id, -1, 1000)).map(({ event }) => event)
          expect([name, kinds.filter((kind) => kind === 'end')]).toEqual([name, ['end']])
        }
        work.open.add('after')
        const { id } = await one.start(request('after', false))
        expect((await one.result(id)).status).toBe('succeeded')
      } finally {
        await Promise.all(processes.map(({ end }) => end()))
        await redis.stop()
      }
    }),
)
