import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, describe, expect, test } from 'vitest'
import { agent, chatInput, chatOutput } from '@x/flow-engine/components'
import {
  createRegistry,
  defineComponent,
  field,
  output,
  runFlow,
  type CallInfo,
  type RunHooks,
  type VertexInfo,
} from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { begin, closeAll, component, flowOf, processOf, state } from '../jobs/asking.ts'

afterEach(closeAll)

/** Notes what is told, and checks that each start has one end, with the same object. */
function notes(more: RunHooks = {}) {
  const lines: string[] = []
  const open = new Set<object>()
  const start = (info: object): void => void open.add(info)
  const end = (info: object): void => expect(open.delete(info)).toBe(true)
  const hooks: RunHooks = {
    onRunStart(run) {
      start(run)
      lines.push('run')
      more.onRunStart?.(run)
    },
    onRunEnd(run, how) {
      end(run)
      expect(open.size).toBe(0)
      lines.push(`run ${how.status}`)
      more.onRunEnd?.(run, how)
    },
    onVertexStart(vertex) {
      start(vertex)
      lines.push(`${vertex.vertexId} ${vertex.build}.${vertex.attempt}`)
      return more.onVertexStart?.(vertex)
    },
    onVertexEnd(vertex, how) {
      end(vertex)
      lines.push(`${vertex.vertexId} ${how.status}`)
      more.onVertexEnd?.(vertex, how)
    },
    onCallStart(call) {
      start(call)
      lines.push(`${call.kind} ${call.name}`)
      return more.onCallStart?.(call)
    },
    onCallEnd(call, how) {
      end(call)
      lines.push(`${call.kind} ${how.status}`)
      more.onCallEnd?.(call, how)
    },
  }
  return { hooks, lines, open }
}

const registryOf = (...components: readonly ReturnType<typeof component>[]) => ({
  components: createRegistry(components),
})

describe('hooks', () => {
  test('DR-70: run and vertices start and end, with one object for each pair', async () => {
    const up = component('Up', async () => 'ok')
    const fails = component('Fails', async (ctx) => {
      ctx.variable('x').catch(() => undefined)
      throw new Error('no luck')
    })
    const { hooks, lines, open } = notes()
    const result = await runFlow(flowOf(up, fails), {
      ...registryOf(up, fails),
      mode: 'build',
      outputType: 'debug',
      hooks,
      requestId: 'req-1',
      carrier: { traceparent: '00-1' },
    }).result
    expect(result.status).toBe('failed')
    expect(lines).toEqual([
      'run',
      'Up-1 1.1',
      'Fails-1 1.1',
      'Up-1 ok',
      'Fails-1 failed',
      'run failed',
    ])
    expect(open.size).toBe(0)
  })

  test('DR-70: the run info contains the values the caller gave it', async () => {
    const seen: VertexInfo[] = []
    const up = component('Up', async () => 'ok')
    const { hooks } = notes({ onVertexStart: (vertex) => void seen.push(vertex) })
    await runFlow(flowOf(up), {
      ...registryOf(up),
      hooks,
      outputType: 'debug',
      userId: 'ada',
      sessionId: 's',
      flowId: 'f',
      flowName: 'Flow',
      requestId: 'req-1',
      carrier: { traceparent: '00-1' },
    }).result
    expect(seen).toMatchObject([
      {
        flowId: 'f',
        flowName: 'Flow',
        sessionId: 's',
        userId: 'ada',
        requestId: 'req-1',
        carrier: { traceparent: '00-1' },
        vertexId: 'Up-1',
        type: 'Up',
        displayName: 'Up',
        build: 1,
        attempt: 1,
      },
    ])
  })

  test('DR-70: a carrier or request id of more than 1 KiB is refused', async () => {
    const up = component('Up', async () => 'ok')
    for (const more of [{ carrier: { a: 'x'.repeat(1025) } }, { requestId: 'x'.repeat(1025) }])
      await expect(
        runFlow(flowOf(up), { ...registryOf(up), ...more }).result,
      ).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('DR-70: there is a pair for each attempt, and none for attempts that never began', async () => {
    let tries = 0
    const flaky = component('Flaky', async () => {
      tries += 1
      if (tries < 3) throw new Error('not yet')
      return 'ok'
    })
    const { hooks, lines } = notes()
    await runFlow(flowOf(flaky), {
      ...registryOf(flaky),
      outputType: 'debug',
      retry: { attempts: 3, delayMs: 0 },
      hooks,
    }).result
    expect(lines).toEqual([
      'run',
      'Flaky-1 1.1',
      'Flaky-1 failed',
      'Flaky-1 1.2',
      'Flaky-1 failed',
      'Flaky-1 1.3',
      'Flaky-1 ok',
      'run succeeded',
    ])
  })

  test('DR-70: a cancelled run ends the hooks of vertices that never return', async () => {
    const hangs = component('Hangs', () => new Promise<string>(() => undefined))
    const { hooks, lines } = notes()
    const run = runFlow(flowOf(hangs), { ...registryOf(hangs), outputType: 'debug', hooks })
    await expect.poll(() => lines.length).toBe(2)
    run.cancel()
    await run.result
    expect(lines.slice(2)).toEqual(['Hangs-1 cancelled', 'run cancelled'])
  })

  test('DR-70, DR-72: calls of models, tools and addresses are reported; only the model call reports tokens', async () => {
    const usages: unknown[] = []
    const calls: CallInfo[] = []
    const { hooks, lines } = notes({
      onCallStart: (call) => void calls.push(call),
      onCallEnd: (_call, { usage }) => void (usage !== undefined && usages.push(usage)),
      onRunEnd: (_run, { usage }) => void usages.push({ run: usage }),
    })
    const look = defineComponent({
      type: 'Look',
      inputs: { at: field.text({ toolMode: true, required: true }) },
      outputs: {
        look: output.message({ run: ({ at }) => `saw ${at}` }),
      },
    })
    const fetches = component('Fetches', async (ctx) => {
      const answer = await ctx.services.fetch?.('https://user:secret@host.example/a?key=1', {
        method: 'POST',
      })
      return (await answer?.text()) ?? ''
    })
    const flow = flowBuilder()
    const input = flow.add(chatInput)
    const tool = flow.add(look, { id: 'Look-1', toolMode: true })
    const asks = flow.add(agent, { id: 'Agent-1', values: { add_current_date_tool: false } })
    flow.add(fetches, { id: 'Fetches-1' })
    flow.connect(`${input}.message`, 'Fetches-1.text')
    flow.connect('Fetches-1.out', `${asks}.input_value`)
    flow.connect(`${tool}.component_as_tool`, `${asks}.tools`)
    flow.connect(`${asks}.response`, `${flow.add(chatOutput)}.input_value`)
    const usage = { inputTokens: 3, outputTokens: 4 }
    const result = await runFlow(flow.toJSON(), {
      components: createRegistry([chatInput, chatOutput, agent, look, fetches]),
      services: {
        models: createScriptedModel([
          { toolCalls: [{ name: 'look', args: { at: 'sky' } }], usage },
          { text: 'Blue', usage },
        ]),
        fetch: async () => new Response('page'),
      },
      input: 'Look up',
      mode: 'build',
      hooks,
    }).result
    expect(result.text()).toBe('Blue')
    expect(calls.map(({ kind, name, vertexId }) => [kind, name, vertexId])).toEqual(
      expect.arrayContaining([
        ['model', expect.any(String), 'Agent-1'],
        ['tool', 'look', 'Agent-1'],
        ['request', 'POST host.example', 'Fetches-1'],
      ]),
    )
    expect(calls).toHaveLength(4)
    expect(lines.filter((line) => /^(model|tool|request) ok$/.test(line))).toHaveLength(4)
    expect(usages).toEqual([usage, usage, { run: { inputTokens: 6, outputTokens: 8 } }])
  })

  test('DR-70: errors are masked', async () => {
    const told: unknown[] = []
    const fails = defineComponent({
      type: 'Fails',
      inputs: { key: field.secret({ default: '', loadFromDb: false }) },
      outputs: {
        out: output.message({
          run: ({ key }) => {
            throw new Error(`refused ${key}`)
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(fails, { id: 'Fails-1', values: { key: 'sk-very-secret' } })
    const { hooks } = notes({
      onVertexEnd: (_vertex, { error }) => void told.push(String(error?.detail)),
      onRunEnd: (_run, { error }) => void told.push(String(error?.detail)),
    })
    await runFlow(flow.toJSON(), {
      components: createRegistry([fails]),
      outputType: 'debug',
      hooks,
    }).result
    expect(told).toHaveLength(2)
    for (const text of told) {
      expect(text).toContain('refused')
      expect(text).not.toContain('very-secret')
    }
  })

  test('DR-71: a function returned by a start hook wraps the work and everything it awaits', async () => {
    const place = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const looks = component('Looks', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      seen.push(place.getStore())
      return 'ok'
    })
    const { hooks } = notes({
      onVertexStart:
        ({ vertexId }) =>
        (work) =>
          place.run(vertexId, work),
    })
    const result = await runFlow(flowOf(looks), {
      ...registryOf(looks),
      outputType: 'debug',
      hooks,
    }).result
    expect(seen).toEqual(['Looks-1'])
    expect(result.text('Looks-1')).toBe('ok')
  })

  test('DR-72, DR-15: errors of hooks change no run and go to onError, once for each call', async () => {
    const errors: [string, string | undefined][] = []
    const bad = (name: string) => (): never => {
      throw new Error(name)
    }
    const hooks: RunHooks = {
      onRunStart: bad('run start'),
      onRunEnd: bad('run end'),
      onVertexStart: () => bad('around'),
      onVertexEnd: bad('vertex end'),
    }
    const up = component('Up', async () => 'ok')
    const jobs = processOf([up], {
      hooks,
      onError: (error, { jobId }) => errors.push([(error as Error).message, jobId]),
    })
    const { id } = await begin(jobs, [up])
    expect((await jobs.result(id)).text('Up-1')).toBe('ok')
    await expect
      .poll(() => errors)
      .toEqual([
        ['run start', id],
        ['around', id],
        ['vertex end', id],
        ['run end', id],
      ])
  })

  test('DR-73: the run info of jobs has their id; a vertex that asks ends as suspended and starts again', async () => {
    const ids = new Set<unknown>()
    const { hooks, lines } = notes({
      onRunStart: ({ jobId, carrier }) => void ids.add(`${jobId} ${carrier?.traceparent}`),
    })
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const up = component('Up', async () => 'ok')
    const store = createMemoryJobStore()
    const jobs = processOf([asks, up], { hooks, store })
    const { id } = await begin(jobs, [asks, up], { carrier: { traceparent: '00-2' } })
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    await jobs.result(id)
    expect(lines).toEqual([
      'run',
      'Asks-1 1.1',
      'Up-1 1.1',
      'Up-1 ok',
      'Asks-1 suspended',
      'run suspended',
      'run',
      'Asks-1 1.1',
      'Asks-1 ok',
      'run succeeded',
    ])
    expect([...ids]).toEqual([`${id} 00-2`])
  })
})
