import { describe, expect, test } from 'vitest'
import {
  agent,
  basicComponents,
  chatInput,
  chatOutput,
  languageModel,
} from '../../src/components.ts'
import {
  compileFlow,
  createFlow,
  createRegistry,
  pricesFromJson,
  runFlow,
  type ChatModel,
  type ChatRequest,
  type FlowDraft,
  type RunEnd,
  type RunOptions,
  type RunResult,
} from '../../src/index.ts'
import { createTestRuntime } from '../../src/testing.ts'

/** Counts words, as `countTokens` below does, and answers as long as it may. */
function wordModel(wanted: number, calls: ChatRequest[] = []): ChatModel {
  return {
    name: 'gpt-4o-2024-08-06',
    async *stream(request) {
      calls.push(request)
      const outputTokens = Math.min(wanted, request.maxTokens ?? wanted)
      await Promise.resolve()
      yield { text: 'x' }
      const inputTokens = words(
        request.messages
          .map(({ content }) => (typeof content === 'string' ? content : ''))
          .join('\n'),
      )
      yield { finish: 'stop', usage: { inputTokens, outputTokens } }
    },
  }
}

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length
const countTokens: RunOptions['countTokens'] = (_model, text) => words(text)
const QUESTION = 'one two three four five six seven eight nine ten'

/** As many models as branches, all fed by the same question. */
function branches(count: number): FlowDraft {
  const flow = createFlow('Branches')
  const question = flow.add(chatInput, { id: 'ChatInput-q' })
  for (let at = 0; at < count; at += 1) {
    const model = flow.add(languageModel, { id: `LanguageModelComponent-${at}` })
    const answer = flow.add(chatOutput, { id: `ChatOutput-${at}` })
    flow.connect(question.outputs.message, model.inputs.input_value)
    flow.connect(model.outputs.text_output, answer.inputs.input_value)
  }
  return flow
}

function run(flow: FlowDraft, model: ChatModel, options: RunOptions = {}): Promise<RunResult> {
  return runFlow(flow, {
    components: createRegistry(basicComponents),
    input: QUESTION,
    countTokens,
    ...options,
    services: {
      models: { chatModel: () => model, embedder: () => ({ embed: () => Promise.resolve([]) }) },
    },
  }).result
}

describe('budgets', () => {
  test.each([
    [{ tokens: 0 }, `runFlow: option "budget.tokens" must be an integer of at least 1, got 0`],
    [{ money: 0 }, `runFlow: option "budget.money" must be a number above 0, got 0`],
    [
      { modelCalls: 1.5 },
      `runFlow: option "budget.modelCalls" must be an integer of at least 1, got 1.5`,
    ],
    [{ token: 1 }, `runFlow: unknown option "budget.token". Did you mean "budget.tokens"?`],
  ])('FC-90 a wrong part is told: %j', async (budget, message) => {
    await expect(run(branches(1), wordModel(1), { budget: budget as object })).rejects.toThrow(
      message,
    )
  })

  test('FC-90 the smaller of plan and run counts, part by part', async () => {
    const components = createRegistry(basicComponents)
    const plan = compileFlow(branches(3).toJSON(), { components, budget: { modelCalls: 1 } })
    const result = await run(plan as never, wordModel(5), { budget: { modelCalls: 2, tokens: 90 } })
    expect(result.spent.modelCalls).toBe(1)
    expect(result.error?.details).toMatchObject({ unit: 'modelCalls', limit: 1 })
  })

  test.each([1, 7, 40, 100, 333, 1000])(
    'FC-92 FC-93 FC-94 eight branches share 1000 tokens, each answering %i',
    async (wanted) => {
      const result = await run(branches(8), wordModel(wanted), { budget: { tokens: 1000 } })
      expect(result.spent.tokens).toBeLessThanOrEqual(1000)
      const possible = Math.min(8, Math.ceil(1000 / (10 + wanted)))
      expect(result.spent.modelCalls).toBeGreaterThanOrEqual(Math.min(possible, 8))
      expect(result.status).toBe(8 * (10 + wanted) <= 1000 ? 'succeeded' : 'failed')
    },
  )

  test('FC-92 an answer is cut to what fits, and refused below 16 tokens', async () => {
    const calls: ChatRequest[] = []
    const cut = await run(branches(1), wordModel(500, calls), { budget: { tokens: 60 } })
    expect([cut.status, calls[0]?.maxTokens, cut.spent.tokens]).toEqual(['succeeded', 50, 60])
    const refused = await run(branches(1), wordModel(500, calls), { budget: { tokens: 25 } })
    expect(calls).toHaveLength(1)
    expect(refused.error).toMatchObject({
      code: 'budget_exceeded',
      status: 402,
      detail: 'The budget of 25 tokens is used up (0 spent; the next request needs about 4106)',
      details: { scope: 'run', unit: 'tokens', limit: 25, spent: 0 },
      vertexId: 'LanguageModelComponent-0',
    })
  })

  test('FC-92 without countTokens three bytes are a token, and a silent vendor costs the reservation', async () => {
    const silent: ChatModel = {
      async *stream() {
        await Promise.resolve()
        yield { text: 'x' }
        yield { finish: 'stop' }
      },
    }
    const result = await run(branches(1), silent, {
      budget: { tokens: 9000 },
      countTokens: undefined,
    })
    expect(result.spent).toMatchObject({
      modelCalls: 1,
      inputTokens: Math.ceil(QUESTION.length / 3),
      outputTokens: 4096,
    })
  })

  test('FC-91 money is counted exactly, by the longest name', async () => {
    const prices = { 'gpt-4o': { input: 0.1, output: 0.2 }, gpt: { input: 9, output: 9 } }
    const result = await run(branches(3), wordModel(7), {
      prices,
      tweaks: { model_name: 'gpt-4o-2024-08-06' },
    })
    expect(result.spent).toMatchObject({ tokens: 51, money: 0.0000072 })
    const limited = await run(branches(3), wordModel(1000), {
      prices: () => ({ input: 1, output: 10 }),
      budget: { money: 0.001 },
    })
    expect(limited.spent.money).toBeLessThanOrEqual(0.001)
    expect(limited.error?.detail).toMatch(/^The budget of 0\.001 in money is used up \(/)
  })

  test('FC-91 a model without a price is refused by name before it is asked', async () => {
    const calls: ChatRequest[] = []
    const result = await run(branches(1), wordModel(1, calls), {
      prices: {},
      budget: { money: 1 },
      tweaks: { model_name: 'llama-3' },
    })
    expect(calls).toHaveLength(0)
    expect(result.error?.code).toBe('invalid_request')
    expect(result.error?.detail).toContain(
      'No price for the model llama-3: add it to prices, or give the budget in tokens',
    )
    const counted = await run(branches(1), wordModel(1), {
      prices: { '*': { input: 1, output: 1 } },
    })
    expect(counted.spent.money).toBe(11 / 1e6)
    expect((await run(branches(1), wordModel(1), { prices: {} })).spent.money).toBeUndefined()
  })

  test('FC-91 prices are read from JSON', () => {
    expect(pricesFromJson('{"a":{"input":1,"output":2}}')).toEqual({ a: { input: 1, output: 2 } })
    expect(() => pricesFromJson('{"a":{"input":1}}')).toThrow('The price of a: output must be')
  })

  test('FC-95 seconds end the run and what it waits for', async () => {
    const runtime = createTestRuntime()
    let signal: AbortSignal | undefined
    const endless: ChatModel = {
      async *stream(request) {
        ;({ signal } = request)
        await new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(new Error('over')), { once: true })
          void runtime.advance(30_000)
        })
        yield { text: '' }
      },
    }
    const result = await run(branches(1), endless, { budget: { seconds: 30 }, runtime })
    expect(signal?.aborted).toBe(true)
    expect(result.error).toMatchObject({
      code: 'budget_exceeded',
      detail: 'The budget of 30 seconds is used up (30 spent)',
      details: { unit: 'seconds', limit: 30, spent: 30 },
    })
  })

  test('FC-96 what was finished stays, and a refusal is not retried', async () => {
    const flow = createFlow('Chain')
    const question = flow.add(chatInput)
    const first = flow.add(languageModel, { id: 'LanguageModelComponent-1' })
    const shown = flow.add(chatOutput, { id: 'ChatOutput-1' })
    const second = flow.add(languageModel, { id: 'LanguageModelComponent-2' })
    const last = flow.add(chatOutput, { id: 'ChatOutput-2' })
    flow.connect(question.outputs.message, first.inputs.input_value)
    flow.connect(first.outputs.text_output, shown.inputs.input_value)
    flow.connect(shown.outputs.message, second.inputs.input_value)
    flow.connect(second.outputs.text_output, last.inputs.input_value)
    const retry = { attempts: 5, delayMs: 0 }
    const result = await run(flow, wordModel(90), { budget: { modelCalls: 1 }, retry })
    expect([result.status, result.spent.modelCalls]).toEqual(['failed', 1])
    expect(result.outputs.map(({ id }) => id)).toEqual(['ChatOutput-1'])
    expect(result.vertices.get('LanguageModelComponent-2')).toMatchObject({
      valid: false,
      attempts: 1,
      error: { code: 'budget_exceeded', status: 402 },
    })
    expect(result.error?.detail).toBe(
      'The budget of 1 model calls is used up (1 spent; the next request needs about 1)',
    )
  })

  test('FC-92 what a client repeats is reserved again', async () => {
    let requests = 0
    const failing = (): Promise<Response> => {
      requests += 1
      return Promise.resolve(new Response('{}', { status: 500 }))
    }
    const { error } = await runFlow(branches(1), {
      input: QUESTION,
      budget: { modelCalls: 1 },
      tweaks: { 'LanguageModelComponent-0': { api_key: 'sk-test' } },
      services: { fetch: failing },
    }).result
    expect([requests, error?.code]).toEqual([1, 'budget_exceeded'])
  })

  test('FC-92 each turn of an agent counts', async () => {
    const flow = createFlow('Agent')
    const question = flow.add(chatInput)
    const asked = flow.add(agent, { values: { add_current_date_tool: true } })
    const answer = flow.add(chatOutput)
    flow.connect(question.outputs.message, asked.inputs.input_value)
    flow.connect(asked.outputs.response, answer.inputs.input_value)
    const restless: ChatModel = {
      async *stream({ tools = [] }) {
        await Promise.resolve()
        yield { toolCall: { id: 'a', name: tools[0]?.name ?? '', args: {} } }
        yield { finish: 'tool_calls', usage: { inputTokens: 10, outputTokens: 10 } }
      },
    }
    const result = await run(flow, restless, { budget: { modelCalls: 3 } })
    expect([result.error?.code, result.spent.modelCalls]).toEqual(['budget_exceeded', 3])
  })

  test('FC-97 hooks get what was spent', async () => {
    const ends: RunEnd[] = []
    await run(branches(1), wordModel(5), {
      hooks: { onRunEnd: (_info, end) => void ends.push(end) },
    })
    expect(ends[0]?.spent).toMatchObject({ modelCalls: 1, tokens: 15 })
  })
})
