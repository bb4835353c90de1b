import { describe, expect, test } from 'vitest'
import { defineComponent } from '../../src/components/define/define.ts'
import { output } from '../../src/components/define/output.ts'
import { createData } from '../../src/graph/values/data.ts'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createBuildJobs } from '../../src/jobs/create-build-jobs.ts'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'

/** A component without inputs whose output is what `run` gives. */
function source(type: string, run: (ctx: never) => unknown) {
  return defineComponent({
    type,
    inputs: {},
    outputs: {
      data: output.data({
        displayName: 'Data',
        method: 'run',
        run: async (_inputs, ctx) => createData({ value: await run(ctx as never) }),
      }),
    },
  })
}

interface Waits {
  readonly signal: AbortSignal
}

const flowOf = (...components: ReturnType<typeof source>[]) => {
  const builder = flowBuilder()
  for (const component of components) builder.add(component)
  return builder.toJSON()
}

describe('AB-90: unlimited and invalid limits', () => {
  const quick = source('Quick', () => new Promise((resolve) => setTimeout(() => resolve(1), 30)))
  const components = createRegistry([quick])

  test.each([Number.POSITIVE_INFINITY, null, 2 ** 40])(
    'a limit of %s ms does not end the run',
    async (ms) => {
      const limits = { runTimeoutMs: ms, vertexTimeoutMs: ms }
      const result = await runFlow(flowOf(quick), { components, limits }).result
      expect(result.status).toBe('succeeded')
    },
  )

  test.each([Number.NaN, -1, 'long'])('%s is refused', async (ms) => {
    const limits = { vertexTimeoutMs: ms as number }
    await expect(runFlow(flowOf(quick), { components, limits }).result).rejects.toThrow(
      'runFlow: option "limits.vertexTimeoutMs" must be a number of at least 0, Infinity or null, got',
    )
  })

  test('a lease shorter than twice the heartbeat is refused', () => {
    expect(() => createBuildJobs({ leaseMs: 5_000, heartbeatMs: 10_000 })).toThrow(
      'leaseMs (5000) must be at least 100 and twice heartbeatMs (10000)',
    )
  })
})

describe('AB-91: a job log that rejects writes', () => {
  test('aborts the run at once; the job fails when the store accepts writes again', async () => {
    const signals: AbortSignal[] = []
    const waiting = source('Waiting', ({ signal }: Waits) => {
      signals.push(signal)
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
    })
    const store = createMemoryJobStore()
    let broken = true
    const log = {
      ...store.log,
      append: async (...parameters: Parameters<typeof store.log.append>) => {
        if (broken) throw new Error('disk full')
        return store.log.append(...parameters)
      },
    }
    const components = createRegistry([waiting])
    const jobs = createBuildJobs({ components, store: { ...store, log } })
    const { id } = await jobs.start({ flow: flowOf(waiting), resumable: true })
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    broken = false
    await expect.poll(async () => (await jobs.get(id))?.state).toBe('failed')
  })
})

describe('AB-92: answers during a run', () => {
  test('an answer while another branch runs is a conflict; each vertex acts once', async () => {
    const acts: string[] = []
    let finish = (): void => undefined
    const slow = source('Slow', async () => {
      acts.push('slow')
      await new Promise<void>((resolve) => (finish = resolve))
    })
    const asks = defineComponent({
      type: 'Asking',
      inputs: {},
      outputs: {
        data: output.data({
          displayName: 'Data',
          method: 'run',
          run: async (_inputs, ctx) => createData({ answer: await ctx.suspend({ ask: 'sure?' }) }),
        }),
      },
    })
    const jobs = createBuildJobs({ components: createRegistry([asks, slow]) })
    const { id } = await jobs.start({ flow: flowOf(asks, slow), resumable: true })
    await expect.poll(() => acts).toEqual(['slow'])
    await expect(jobs.resume(id, true)).rejects.toMatchObject({ code: 'conflict' })
    expect((await jobs.get(id))?.state).toBe('running')
    finish()
    await expect.poll(async () => (await jobs.get(id))?.state).toBe('suspended')
    await jobs.resume(id, true)
    await expect.poll(async () => (await jobs.get(id))?.state).toBe('succeeded')
    expect(acts).toEqual(['slow'])
  })
})
