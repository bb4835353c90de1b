import { describe, expect, test } from 'vitest'
import {
  createMessage,
  createRegistry,
  defineComponent,
  FatalError,
  field,
  output,
  runFlow,
  type ComponentContext,
  type RetryPolicy,
  type RunOptions,
} from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { library } from './dependencies.ts'

interface Facts {
  readonly retry?: RetryPolicy
  readonly idempotent?: boolean
}

const flaky = (run: (ctx: ComponentContext) => Promise<string>, facts: Facts = {}) =>
  defineComponent({
    type: 'Flaky',
    displayName: 'Flaky one',
    ...facts,
    inputs: { text: field.handle({ types: ['Message'] }) },
    outputs: { out: output.message({ run: (_inputs, ctx) => run(ctx) }) },
  })

function start(component: ReturnType<typeof flaky>, options: RunOptions = {}) {
  const flow = flowBuilder()
  flow.add(component, { id: 'Flaky-1' })
  const components = createRegistry([...library, component])
  return runFlow(flow.toJSON(), { components, outputType: 'debug', mode: 'build', ...options })
}

/** Fails so often; each attempt notes its time. */
function failing(times: number, more: object = {}) {
  const at: number[] = []
  const run = async (ctx: ComponentContext): Promise<string> => {
    at.push(ctx.runtime.now().getTime())
    if (at.length <= times) throw Object.assign(new Error(`failure ${at.length}`), more)
    return `attempt ${ctx.attempt} of build ${ctx.build}`
  }
  const gaps = (): number[] => at.slice(1).map((time, n) => time - (at[n] ?? 0))
  return { run, gaps, count: () => at.length }
}

async function over(run: ReturnType<typeof start>, runtime: ReturnType<typeof createTestRuntime>) {
  const progress = { done: false }
  const result = run.result.finally(() => (progress.done = true))
  for (let n = 0; n < 500 && !progress.done; n += 1) await runtime.advance(1000)
  return result
}

describe('retries', () => {
  test('DR-50: a failing vertex is built again, and failed attempts send no events', async () => {
    const runtime = createTestRuntime()
    const { run, count } = failing(2)
    const component = flaky(run, { retry: { attempts: 3, delayMs: 10 } })
    const started = start(component, { runtime })
    const result = await over(started, runtime)
    expect(result.text('Flaky-1')).toBe('attempt 3 of build 1')
    expect(result.vertices.get('Flaky-1')).toMatchObject({ attempts: 3, builds: 1 })
    expect(count()).toBe(3)
    const kinds = (await collectEvents(started)).map(({ event }) => event)
    expect(kinds).toEqual(['vertices_sorted', 'end_vertex', 'end'])
  })

  test('DR-50: only the last failure is reported', async () => {
    const runtime = createTestRuntime()
    const started = start(flaky(failing(9).run, { retry: { attempts: 2 } }), { runtime })
    const result = await over(started, runtime)
    expect(result.error?.detail).toContain('failure 2')
    expect(result.vertices.get('Flaky-1')).toMatchObject({ attempts: 2, valid: false })
    const kinds = (await collectEvents(started)).map(({ event }) => event)
    expect(kinds.filter((kind) => kind === 'error' || kind === 'end_vertex')).toEqual([
      'error',
      'end_vertex',
    ])
  })

  test('DR-51: delays grow up to their limit; an error with retryAfterMs sets its own delay', async () => {
    const runtime = createTestRuntime()
    const growing = failing(4)
    const retry = { attempts: 5, delayMs: 1000, factor: 3, maxDelayMs: 5000 }
    await over(start(flaky(growing.run, { retry }), { runtime }), runtime)
    expect(growing.gaps()).toEqual([1000, 3000, 5000, 5000])
    const asked = failing(2, { retryAfterMs: 2000 })
    await over(start(flaky(asked.run, { retry }), { runtime }), runtime)
    expect(asked.gaps()).toEqual([2000, 2000])
    const jittered = failing(1)
    await over(
      start(flaky(jittered.run, { retry: { attempts: 2, jitter: 1 } }), { runtime }),
      runtime,
    )
    expect(jittered.gaps()[0]).toBeGreaterThanOrEqual(0)
    expect(jittered.gaps()[0]).toBeLessThanOrEqual(2000)
  })

  test.for<[name: string, retry: RunOptions['retry'], attempts: number]>([
    ['id', { 'Flaky-1': { attempts: 2 }, Flaky: { attempts: 3 } }, 2],
    ['display name', { 'Flaky one': { attempts: 3 }, Flaky: { attempts: 2 } }, 3],
    ['type', { Flaky: { attempts: 4 } }, 4],
    ['all', { attempts: 5 }, 5],
    ['none of them', { Other: { attempts: 5 } }, 6],
  ])('DR-51: the policy of the run applies by %s', async ([, retry, attempts]) => {
    const runtime = createTestRuntime()
    const { run, count } = failing(99)
    const component = flaky(run, { retry: { attempts: 6, delayMs: 1 } })
    await over(start(component, { runtime, retry }), runtime)
    expect(count()).toBe(attempts)
  })

  test('DR-52: errors that another attempt cannot fix are not retried', async () => {
    const attempts = async (thrown: () => Error, facts: Facts = {}): Promise<number> => {
      const runtime = createTestRuntime()
      let count = 0
      const run = async (): Promise<string> => {
        count += 1
        throw thrown()
      }
      const retry = { attempts: 3, delayMs: 1 }
      await over(start(flaky(run, facts), { runtime, retry }), runtime)
      return count
    }
    expect(await attempts(() => new Error('no luck'))).toBe(3)
    expect(await attempts(() => new FatalError('The account has no money'))).toBe(1)
    expect(await attempts(() => new Error('once'), { idempotent: false })).toBe(1)
    const own = { idempotent: false, retry: { attempts: 2, delayMs: 1 } }
    expect(await attempts(() => new Error('twice'), own)).toBe(2)
  })

  test('DR-52: a timeout is retried, with its own limit for each attempt', async () => {
    const runtime = createTestRuntime()
    let count = 0
    const slow = async (ctx: ComponentContext): Promise<string> => {
      count += 1
      if (count > 1) return 'quick'
      return new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
      })
    }
    const component = flaky(slow, { retry: { attempts: 2, delayMs: 1 } })
    const started = start(component, { runtime, limits: { vertexTimeoutMs: 3000 } })
    expect((await over(started, runtime)).text('Flaky-1')).toBe('quick')
  })

  test('DR-53: messages and state of a failed attempt are discarded', async () => {
    const runtime = createTestRuntime()
    const services = createMemoryServices()
    const seen: unknown[] = []
    let count = 0
    const talks = async (ctx: ComponentContext): Promise<string> => {
      count += 1
      seen.push(ctx.state.get('n'))
      ctx.state.set('n', count)
      await ctx.sendMessage(createMessage(`try ${count}`))
      if (count === 1) throw new Error('no luck')
      return 'done'
    }
    const component = flaky(talks, { retry: { attempts: 2, delayMs: 1 } })
    const started = start(component, { runtime, services, sessionId: 's' })
    await over(started, runtime)
    expect(seen).toEqual([undefined, undefined])
    const stored = await services.messages?.list({ sessionId: 's' })
    expect(stored?.map(({ text }) => text)).toEqual(['try 2'])
    const kinds = (await collectEvents(started)).map(({ event }) => event)
    expect(kinds).toContain('remove_message')
  })

  test('DR-50: an invalid number of attempts fails the vertex', async () => {
    const runtime = createTestRuntime()
    const started = start(flaky(failing(0).run, { retry: { attempts: 0 } }), { runtime })
    expect((await over(started, runtime)).error).toMatchObject({ code: 'invalid_request' })
  })
})
