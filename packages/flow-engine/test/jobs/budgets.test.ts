import {
  createBuildJobs,
  createFlow,
  createRegistry,
  defineComponent,
  field,
  output,
  type ChatModel,
} from '@x/flow-engine'
import { basicComponents, chatInput, chatOutput, languageModel } from '@x/flow-engine/components'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createTestRuntime } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'

const asks = defineComponent({
  type: 'Asks',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      run: async ({ text }, ctx) => {
        await ctx.suspend('sure?')
        return text
      },
    }),
  },
})

/** A model, a question to a person, and a model. */
function flow(): ReturnType<typeof createFlow> {
  const made = createFlow('Paused')
  const first = made.add(languageModel)
  const person = made.add(asks)
  const second = made.add(languageModel)
  made.connect(made.add(chatInput).outputs.message, first.inputs.input_value)
  made.connect(first.outputs.text_output, person.inputs.text)
  made.connect(person.outputs.result, second.inputs.input_value)
  made.connect(second.outputs.text_output, made.add(chatOutput).inputs.input_value)
  return made
}

test('FC-97 what a durable job spent before a pause counts in the next process', async () => {
  const runtime = createTestRuntime()
  const store = createMemoryJobStore()
  const model: ChatModel = {
    async *stream() {
      await runtime.advance(4000)
      yield { text: 'x' }
      yield { finish: 'stop', usage: { inputTokens: 10, outputTokens: 20 } }
    },
  }
  const jobsWith = (budget: object) =>
    createBuildJobs({
      components: createRegistry([...basicComponents, asks]),
      services: { models: model },
      store,
      runtime,
      budget,
      prices: { '*': { input: 1, output: 2 } },
      countTokens: () => 10,
    })
  const runs = { mode: 'run', input: 'hi', resumable: true, flow: flow() } as const
  const first = jobsWith({ modelCalls: 2, seconds: 60 })
  const paused = await first.start(runs)
  await expect.poll(async () => (await first.pending()).length).toBe(1)
  await first.close()

  const second = jobsWith({ modelCalls: 2, seconds: 60 })
  await second.resume(paused.id, 'yes')
  expect((await second.result(paused.id)).spent).toEqual({
    modelCalls: 2,
    inputTokens: 20,
    outputTokens: 40,
    tokens: 60,
    seconds: 8,
    money: 0.0001,
  })

  for (const [budget, text] of [
    [{ modelCalls: 1 }, 'The budget of 1 model calls is used up (1 spent;'],
    [{ money: 0.00006 }, 'The budget of 0.00006 in money is used up (0.00005 spent;'],
    [{ seconds: 6 }, 'The budget of 6 seconds is used up (6 spent)'],
  ] as const) {
    const other = await second.start(runs)
    await expect.poll(async () => (await second.pending()).length).toBe(1)
    const third = jobsWith(budget)
    await third.resume(other.id, 'yes')
    const { error } = await third.result(other.id)
    expect(error?.detail).toContain(text)
    await third.close()
  }
  await second.close()
})
