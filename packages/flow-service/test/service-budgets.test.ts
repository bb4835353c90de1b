import { createMetrics } from '@x/wire'
import { builtinComponents } from '@x/flow-components'
import { createFlow, createRegistry, type ChatModel } from '@x/flow-engine'
import { chatInput, chatOutput, languageModel, webhook } from '@x/flow-engine/components'
import { createFlowService, type BudgetLimit, type FlowServiceInstance } from '@x/flow-service'
import { memoryStorage } from '@x/flow-service/memory'
import { cheapHasher, createTestEngine, SECRET_KEY } from '@x/test-kit'
import { createTestRuntime } from '@x/flow-engine/testing'
import { afterEach, describe, expect, test } from 'vitest'

const engines: FlowServiceInstance[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** A model that answers with 10 tokens of input and at most 30 of output, and counts its calls. */
function counting() {
  const seen = { calls: 0, tokens: 0 }
  const model: ChatModel = {
    async *stream({ maxTokens = 500 }) {
      seen.calls += 1
      await new Promise((resolve) => setImmediate(resolve))
      const outputTokens = Math.min(30, maxTokens)
      seen.tokens += 10 + outputTokens
      yield { text: 'x' }
      yield { finish: 'stop', usage: { inputTokens: 10, outputTokens } }
    },
  }
  return { seen, model }
}

function askOnce(hooked = false): unknown {
  const flow = createFlow('Ask')
  const question = flow.add(chatInput, { id: 'ChatInput-1' })
  if (hooked) flow.add(webhook)
  const asked = flow.add(languageModel)
  const answer = flow.add(chatOutput)
  flow.connect(question.outputs.message, asked.inputs.input_value)
  flow.connect(asked.outputs.text_output, answer.inputs.input_value)
  return flow.toJSON().data
}

type Options = Partial<Parameters<typeof createTestEngine>[0]>

async function service(limits: readonly BudgetLimit[], more: Options = {}) {
  const { seen, model } = counting()
  const options = {
    components: createRegistry(builtinComponents),
    models: { chatModel: () => model, embedder: () => Promise.reject(new Error('none')) },
    budgets: { limits, countTokens: () => 10 },
    ...more,
  }
  const shared = { secretKey: SECRET_KEY, passwords: cheapHasher }
  const engine = more.storage
    ? createFlowService({ ...shared, ...options })
    : await createTestEngine(options)
  engines.push(engine)
  return { engine, seen }
}

async function userOf(engine: FlowServiceInstance, username: string) {
  const password = 'secret-1'
  const { id } = await engine.services.users.create({ username, password, isActive: true })
  const call = async (method: string, path: string, body?: unknown, headers?: object) => {
    const request = new Request(`http://host.example${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const user = { userId: id, isSuperuser: false }
    const response = await engine.handler(request, headers === undefined ? { user } : {})
    const text = await response.text()
    return { status: response.status, text, headers: response.headers }
  }
  const made = await call('POST', '/api/v1/flows/', { name: 'ask', data: askOnce() })
  const flowId = (JSON.parse(made.text) as { id: string }).id
  const run = (headers?: object) =>
    call('POST', `/api/v1/run/${flowId}`, { input_value: 'hi' }, headers)
  const budgets = async () =>
    JSON.parse((await call('GET', '/api/v1/budgets')).text) as Record<string, unknown>[]
  return { id, call, run, flowId, budgets }
}

const at = (time: string) => createTestRuntime({ start: new Date(time) })

describe('budgets over windows', () => {
  test('FC-102 a used up budget refuses the next run until its window ends, and takes no place of the day', async () => {
    const runtime = at('2026-11-27T23:59:00Z')
    const { engine, seen } = await service([{ per: 'user', window: 'day', tokens: 40 }], {
      runtime,
      settings: { maxRunsPerDayPerUser: 2 },
    })
    const { run, budgets, call, flowId } = await userOf(engine, 'ada')
    expect((await run()).status).toBe(200)
    for (let n = 0; n < 3; n += 1) {
      const refused = await run()
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('60')
      expect(JSON.parse(refused.text)).toEqual({
        detail:
          'The budget of the user for today is used up (40 tokens). It starts again at 2026-11-28T00:00:00Z.',
      })
    }
    expect(seen.calls).toBe(1)
    expect(await budgets()).toEqual([
      {
        per: 'user',
        window: 'day',
        limit: { tokens: 40 },
        spent: { tokens: 40 },
        reserved: { tokens: 0 },
        ends_at: '2026-11-28T00:00:00.000Z',
      },
    ])
    const openAi = await call('POST', '/api/openai/v1/chat/completions', {
      model: flowId,
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect(openAi.status).toBe(429)
    expect(openAi.headers.get('retry-after')).toBe('60')
    expect(JSON.parse(openAi.text)).toMatchObject({
      error: { type: 'insufficient_quota', code: 'insufficient_quota' },
    })
    await runtime.advance(60_000)
    expect((await run()).status).toBe(200)
  })

  const doors: Readonly<Record<string, (id: string) => readonly [path: string, body: unknown]>> = {
    run: (id) => [`/api/v1/run/${id}`, { input_value: 'hi' }],
    'streamed run': (id) => [`/api/v1/run/${id}?stream=true`, { input_value: 'hi' }],
    'streamed build': (id) => [`/api/v1/build/${id}/flow?event_delivery=direct`, {}],
    'streamed chat': (id) => [
      '/api/openai/v1/chat/completions',
      { model: id, stream: true, messages: [{ role: 'user', content: 'hi' }] },
    ],
    'advanced run': (id) => [`/api/v1/run/advanced/${id}`, {}],
    build: (id) => [`/api/v1/build/${id}/flow`, {}],
    vertex: (id) => [`/api/v1/build/${id}/vertices/ChatInput-1`, {}],
    webhook: (id) => [`/api/v1/webhook/${id}`, { a: 1 }],
    responses: (id) => ['/api/v1/responses', { model: id, input: 'hi' }],
    'open responses': (id) => ['/api/openai/v1/responses', { model: id, input: 'hi' }],
    'streamed open responses': (id) => [
      '/api/openai/v1/responses',
      { model: id, stream: true, input: 'hi' },
    ],
    'ai sdk': (id) => [
      `/api/ai/v1/chat/${id}`,
      { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] }] },
    ],
    'ag-ui': (id) => [
      `/api/ag-ui/v1/${id}`,
      {
        threadId: 't',
        runId: 'r',
        messages: [{ id: 'm', role: 'user', content: 'hi' }],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      },
    ],
  }
  test.each(Object.entries(doors))('FC-102 %s: refused in its own form', async (door, ask) => {
    const { engine, seen } = await service([{ per: 'user', window: 'month', modelCalls: 1 }])
    const { run, call, flowId } = await userOf(engine, 'ada')
    expect((await run()).status).toBe(200)
    const hook = await call('POST', '/api/v1/flows/', { name: 'hook', data: askOnce(true) })
    const { id } = JSON.parse(hook.text) as { id: string }
    const [path, body] = ask(door === 'webhook' ? id : flowId)
    const refused = await call('POST', path, body)
    expect(refused.text).toContain(
      'The budget of the user for this month is used up (1 model calls)',
    )
    // That API answers every failure with 200, unless the host asks for statuses.
    expect(refused.status).toBe(path === '/api/v1/responses' ? 200 : 429)
    expect(seen.calls).toBe(1)
  })

  test('FC-93 FC-101 runs at the same time never spend one remainder twice', async () => {
    const { engine, seen } = await service([{ per: 'user', window: 'hour', tokens: 1000 }])
    const { run, budgets } = await userOf(engine, 'ada')
    const answers = await Promise.all(Array.from({ length: 40 }, () => run()))
    expect(seen.tokens).toBeLessThanOrEqual(1000)
    expect(seen.tokens).toBeGreaterThan(1000 - 26)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.every(({ status }) => status === 429)).toBe(true)
    expect(await budgets()).toMatchObject([
      { spent: { tokens: seen.tokens }, reserved: { tokens: 0 } },
    ])
  })

  test('FC-101 two processes on one store share a budget', async () => {
    const storage = memoryStorage()
    const limits = [{ per: 'service', window: 'day', modelCalls: 7 }] as const
    const first = await service(limits, { storage })
    const second = await service(limits, { storage })
    const ada = await userOf(first.engine, 'ada')
    const bob = await userOf(second.engine, 'bob')
    await Promise.all(Array.from({ length: 8 }, () => [ada.run(), bob.run()]).flat())
    expect(first.seen.calls + second.seen.calls).toBe(7)
    const { status, text } = await ada.run()
    expect([status, text]).toEqual([429, expect.stringContaining('The budget of the service for')])
  })

  test('FC-100 budgets of flows and keys are counted apart, and users may have their own', async () => {
    const limits: BudgetLimit[] = [
      { per: 'flow', window: 'day', modelCalls: 2 },
      { per: 'key', window: 'day', modelCalls: 1 },
    ]
    const { engine } = await service(limits)
    const ada = await userOf(engine, 'ada')
    const key = JSON.parse((await ada.call('POST', '/api/v1/api_key/', { name: 'k' })).text) as {
      api_key: string
    }
    const header = { 'x-api-key': key.api_key }
    expect((await ada.run(header)).status).toBe(200)
    expect((await ada.run(header)).text).toContain('The budget of the key for today is used up')
    expect((await ada.run()).status).toBe(200)
    expect((await ada.run()).text).toContain('The budget of the flow for today is used up')
    const bob = await userOf(engine, 'bob')
    expect((await bob.run()).status).toBe(200)

    const own = await service([{ per: 'user', window: 'day', modelCalls: 1 }])
    const carl = await userOf(own.engine, 'carl')
    const named = await service([
      { per: 'user', window: 'day', modelCalls: 1 },
      { per: 'user', window: 'day', modelCalls: 2, users: [carl.id] },
    ])
    await carl.run()
    expect((await carl.run()).status).toBe(429)
    const other = await userOf(named.engine, 'dora')
    await other.run()
    expect((await other.run()).status).toBe(429)
  })

  test('FC-100 budgets of each run', async () => {
    const { engine } = await service([{ per: 'run', modelCalls: 1, tokens: 20 }])
    const { run } = await userOf(engine, 'ada')
    expect((await run()).text).toContain('The budget of 20 tokens is used up')
  })

  test('FC-102 within a run the scope is told, with 429', async () => {
    const { engine } = await service([{ per: 'user', window: 'day', tokens: 50 }])
    const { run } = await userOf(engine, 'ada')
    expect((await run()).status).toBe(200)
    const second = await run()
    expect(second.status).toBe(429)
    expect(second.text).toContain('The budget of 50 tokens is used up (40 spent; the next request')
  })

  test('FC-100 money is counted in billionths, and models need a price', async () => {
    const prices = { '*': { input: 1, output: 2 } }
    const limits: BudgetLimit[] = [{ per: 'user', window: 'day', money: 0.0002 }]
    const { engine } = await service(limits, { budgets: { limits, prices, countTokens: () => 10 } })
    const { run, budgets } = await userOf(engine, 'ada')
    expect((await run()).status).toBe(200)
    expect(await budgets()).toMatchObject([{ spent: { money: 0.00007 }, limit: { money: 0.0002 } }])
    expect((await run()).status).toBe(200)
    expect((await run()).status).toBe(200)
    expect((await run()).status).toBe(429)
    const without = await service(limits)
    const bob = await userOf(without.engine, 'bob')
    expect((await bob.run()).text).toContain('No price for the model')
    expect(without.seen.calls).toBe(0)
  })

  test('FC-104 a budget that cannot be counted is not spent', async () => {
    const storage = memoryStorage()
    const failing = { ...storage.flows.budgets }
    const flows = { ...storage.flows, budgets: failing }
    const { engine, seen } = await service([{ per: 'user', window: 'day', tokens: 5000 }], {
      storage: { ...storage, flows },
      onError: () => undefined,
    })
    const { run } = await userOf(engine, 'ada')
    failing.reserve = () => Promise.reject(new Error('away'))
    expect((await run()).status).toBe(503)
    failing.read = () => Promise.reject(new Error('away'))
    expect((await run()).status).toBe(503)
    expect(seen.calls).toBe(0)
  })

  test('FC-103 a superuser reads those of another, nobody else does', async () => {
    const metrics = createMetrics()
    const { engine } = await service([{ per: 'user', window: 'day', modelCalls: 1 }], { metrics })
    const ada = await userOf(engine, 'ada')
    const bob = await userOf(engine, 'bob')
    await ada.run()
    await ada.run()
    const path = `/api/v1/budgets?user_id=${ada.id}`
    expect((await bob.call('GET', path)).status).toBe(403)
    const root = { userId: bob.id, isSuperuser: true }
    const answer = await engine.handler(new Request(`http://host.example${path}`), { user: root })
    expect(await answer.json()).toMatchObject([{ per: 'user', spent: { modelCalls: 1 } }])
    const found = (await metrics.collect()).filter(({ name }) => name.startsWith('flow_budget_'))
    expect(JSON.stringify(found)).not.toContain(ada.id)
    expect(found.map(({ name, samples }) => [name, samples[0]])).toMatchObject([
      [
        'flow_budget_spent_total',
        {
          labels: [
            ['unit', 'modelCalls'],
            ['per', 'user'],
          ],
          value: 1,
        },
      ],
      [
        'flow_budget_refused_total',
        {
          labels: [
            ['unit', 'modelCalls'],
            ['per', 'user'],
          ],
          value: 1,
        },
      ],
    ])
  })

  test('FC-100 wrong limits are told by their place', async () => {
    const wrong = async (limit: object) =>
      service([limit as BudgetLimit]).then(
        () => '',
        (error: unknown) => (error as Error).message,
      )
    expect(await wrong({ per: 'team', window: 'day', tokens: 1 })).toContain(
      'budgets.limits[0].per',
    )
    expect(await wrong({ per: 'user', tokens: 1 })).toContain('must have a window')
    expect(await wrong({ per: 'run', window: 'day', tokens: 1 })).toContain('must have no window')
    expect(await wrong({ per: 'user', window: 'day' })).toContain('must limit tokens')
    expect(await wrong({ per: 'user', window: 'day', tokens: 0.5 })).toContain(
      'option "budgets.limits[0].tokens" must be an integer of at least 1, got 0.5',
    )
  })
})
