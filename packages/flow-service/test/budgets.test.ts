import { builtinComponents } from '@x/flow-components'
import { createFlow, createRegistry, type ChatModel } from '@x/flow-engine'
import { chatInput, chatOutput, languageModel } from '@x/flow-engine/components'
import type { FlowService } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'
import { afterEach, describe, expect, test } from 'vitest'

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

const model: ChatModel = {
  async *stream({ maxTokens = 500 }) {
    await Promise.resolve()
    yield { text: 'x' }
    yield { finish: 'stop', usage: { inputTokens: 10, outputTokens: Math.min(30, maxTokens) } }
  },
}

/** Two models, one after the other. */
function chain(): unknown {
  const flow = createFlow('Chain')
  const question = flow.add(chatInput)
  const first = flow.add(languageModel)
  const second = flow.add(languageModel)
  const answer = flow.add(chatOutput)
  flow.connect(question.outputs.message, first.inputs.input_value)
  flow.connect(first.outputs.text_output, second.inputs.input_value)
  flow.connect(second.outputs.text_output, answer.inputs.input_value)
  return flow.toJSON().data
}

async function service(budget: object) {
  const engine = await createTestEngine({
    components: createRegistry(builtinComponents),
    models: { chatModel: () => model, embedder: () => Promise.reject(new Error('none')) },
    countTokens: () => 10,
    budget,
  })
  engines.push(engine)
  const record = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const user = { userId: record.id, isSuperuser: false }
  const call = async (path: string, body: unknown) => {
    const request = new Request(`http://host.example/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const response = await engine.handler(request, { user })
    return { status: response.status, text: await response.text() }
  }
  const { text } = await call('/flows/', { name: 'chain', data: chain() })
  return { call, id: (JSON.parse(text) as { id: string }).id }
}

describe('budgets of a service', () => {
  test('FC-90 each run and each build has the budget of the service', async () => {
    const { call, id } = await service({ modelCalls: 1 })
    const run = await call(`/run/${id}`, { input_value: 'hi' })
    expect(run.status).toBeGreaterThanOrEqual(400)
    expect(run.text).toContain('The budget of 1 model calls is used up')
    const build = await call(`/build/${id}/flow?event_delivery=direct`, {
      inputs: { input_value: 'hi' },
    })
    expect(build.text).toContain('The budget of 1 model calls is used up')
    const enough = await service({ modelCalls: 2 })
    expect((await enough.call(`/run/${enough.id}`, { input_value: 'hi' })).status).toBe(200)
  })

  test('FC-98 neither a request nor a stored flow raises it', async () => {
    const { call, id } = await service({ tokens: 60 })
    const more = { input_value: 'hi', budget: { tokens: 9000 }, tweaks: { budget: 9000 } }
    const run = await call(`/run/${id}`, more)
    expect(run.text).toContain('The budget of 60 tokens is used up (40 spent;')
  })

  test('FC-90 a wrong part is told when the service is made', async () => {
    await expect(service({ tokens: -1 })).rejects.toThrow(
      'option "budget.tokens" must be an integer of at least 1, got -1',
    )
  })
})
