import { afterEach, describe, expect, test } from 'vitest'
import { createBuildJobs, createRegistry, type RunResult } from '@x/flow-engine'
import { basicComponents } from '@x/flow-engine/components'
import type { JobStore } from '@x/flow-engine/store'
import { flowBuilder } from '@x/flow-engine/testing'
import { closeAll, closeLater, sharedStore } from './asking.ts'

afterEach(closeAll)

const components = createRegistry(basicComponents)

function jobsOn(store: JobStore, concurrency = 4) {
  const jobs = createBuildJobs({ store, components, concurrency })
  closeLater(jobs)
  return jobs
}

function echo(text: string) {
  const flow = flowBuilder()
  const input = flow.add('ChatInput', { id: 'ChatInput-i', values: { input_value: text } })
  const output = flow.add('ChatOutput', { id: 'ChatOutput-o' })
  flow.connect(`${input}.message`, `${output}.input_value`)
  return flow.toJSON()
}

/** What a caller sees of a result, without the times. */
function seen(result: RunResult) {
  const { status, error, usage, messages, sessionId, flowId } = result
  const outputs = result.outputs.map(({ id, outputs: values }) => [id, { ...values }])
  return { status, error, usage, messages, sessionId, flowId, outputs, text: result.text() }
}

describe('FL-36: one truth about an end', () => {
  test('a process that did not run the job gives the same result', async () => {
    const store = sharedStore()
    const running = jobsOn(store)
    const other = jobsOn(store, 0)
    const { id } = await running.start({ flow: echo('hello'), sessionId: 's' })
    const [own, rebuilt] = await Promise.all([running.result(id), other.result(id)])
    expect(own.text()).toBe('hello')
    expect(seen(rebuilt)).toEqual(seen(own))
    expect(rebuilt.output('ChatOutput-o')).toEqual(own.output('ChatOutput-o'))
  })

  test('nobody elsewhere sees the end before it is recorded', async () => {
    const store = sharedStore()
    let record = (): void => undefined
    const recording = new Promise<void>((resolve) => {
      record = resolve
    })
    let reached = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      reached = resolve
    })
    const slow: JobStore = {
      ...store,
      queue: {
        ...store.queue,
        async finish(...given) {
          reached()
          await recording
          return store.queue.finish(...given)
        },
      },
    }
    const running = jobsOn(slow)
    const other = jobsOn(store, 0)
    const { id } = await running.start({ flow: echo('hello') })
    const result = other.result(id)
    await ended
    const last = await store.log.lastSeq(id)
    expect(await store.log.read(id, last - 1, 1)).toMatchObject([{ event: 'end' }])
    const poll = await other.poll(id, { after: -1, waitMs: 0 })
    expect(poll.events.at(-1)?.event).not.toBe('end')
    expect(poll.done).toBe(false)
    record()
    expect((await result).status).toBe('succeeded')
    expect((await other.poll(id, { after: -1 })).done).toBe(true)
  })

  test('an output over 1 MiB says where it can be read', async () => {
    const store = sharedStore()
    const running = jobsOn(store)
    const { id } = await running.start({ flow: echo('x'.repeat(2 ** 20 + 1)) })
    const own = await running.result(id)
    const rebuilt = await jobsOn(store, 0).result(id)
    expect(rebuilt.status).toBe('succeeded')
    expect(own.text()).toHaveLength(2 ** 20 + 1)
    expect(() => rebuilt.text()).toThrow(
      /^The output of ChatOutput-o has \d+ bytes; read it in the process that ran the job, or from the log$/,
    )
  })

  test('a process that died between the end and its record does not make the job fail', async () => {
    const store = sharedStore()
    let die = (): void => undefined
    const dead = new Promise<false>((resolve) => {
      die = () => resolve(false)
    })
    const dying: JobStore = { ...store, queue: { ...store.queue, finish: () => dead } }
    const first = jobsOn(dying)
    const { id } = await first.start({ flow: echo('hello') })
    const isEnded = async (): Promise<boolean> => {
      const last = await store.log.lastSeq(id)
      return (await store.log.read(id, last - 1, 1))[0]?.event === 'end'
    }
    await expect.poll(isEnded, { interval: 5 }).toBe(true)
    const far = new Date(8_640_000_000_000_000)
    const expired: JobStore['queue']['expired'] = () => store.queue.expired(far)
    const second = jobsOn({ ...store, queue: { ...store.queue, expired } }, 0)
    await second.recover()
    expect((await second.get(id))?.state).toBe('succeeded')
    die()
  })
})
