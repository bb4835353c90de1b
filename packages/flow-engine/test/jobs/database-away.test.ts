import { createTestRuntime } from '@x/wire'
import { afterEach, expect, test } from 'vitest'
import { StoreUnavailableError, type JobStore } from '@x/flow-engine/store'
import { collectEvents } from '@x/flow-engine/testing'
import { begin, closeAll, component, processOf, sharedStore } from './asking.ts'

afterEach(closeAll)

const once = component('Once', async () => 'done')

/** A store whose connection is lost during a call: before its effect, or before its answer arrives. */
function losing(store: JobStore, isEffective: boolean): { store: JobStore; lost: string[] } {
  const lost: string[] = []
  const away = new StoreUnavailableError({ connectionLost: true })
  const failOnce =
    <Given extends unknown[], Result>(name: string, call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (lost.includes(name)) return call(...given)
      lost.push(name)
      if (isEffective) await call(...given)
      throw away
    }
  const { queue, log, checkpoints } = store
  return {
    lost,
    store: {
      ...store,
      queue: {
        ...queue,
        finish: failOnce('finish', (...given: Parameters<typeof queue.finish>) =>
          queue.finish(...given),
        ),
      },
      log: {
        ...log,
        append: failOnce('append', (...given: Parameters<typeof log.append>) =>
          log.append(...given),
        ),
      },
      checkpoints: {
        ...checkpoints,
        put: failOnce('put', (...given: Parameters<typeof checkpoints.put>) =>
          checkpoints.put(...given),
        ),
      },
    },
  }
}

test.each([
  ['before a write', false],
  ['before the answer to a write', true],
])('FL-25: a job does not fail because the connection is lost %s', async (_name, isEffective) => {
  const { store, lost } = losing(sharedStore(), isEffective)
  const runtime = createTestRuntime()
  const jobs = processOf([once], { store, runtime })
  const { id } = await begin(jobs, [once])
  const events = collectEvents(jobs.events(id))
  const progress = { isOver: false }
  const over = events.finally(() => {
    progress.isOver = true
  })
  while (!progress.isOver) {
    await runtime.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await over
  expect(lost.toSorted()).toEqual(['append', 'finish', 'put'])
  const names = (await events).map(({ event }) => event)
  expect(names.filter((name) => name === 'end')).toHaveLength(1)
  expect(names).not.toContain('error')
  expect((await jobs.get(id))?.state).toBe('succeeded')
})
