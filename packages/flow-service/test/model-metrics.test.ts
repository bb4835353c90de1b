import { expect, test } from 'vitest'
import { createRegistry, defineComponent, output } from '@x/flow-engine'
import { createMetrics } from '@x/flow-engine/metrics'
import { findChatModel } from '@x/flow-engine/models'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

test('OP-8 metrics of 10,000 models in flows are counted as other', async () => {
  const metrics = createMetrics()
  const model = createScriptedModel(() => ({
    text: 'ok',
    usage: { inputTokens: 1, outputTokens: 1 },
  }))
  const asks = defineComponent({
    type: 'Asks',
    inputs: {},
    outputs: {
      out: output.message({
        async run(_inputs, ctx) {
          for (let n = 0; n < 10_000; n += 1) {
            const spec = { provider: `provider-${n}`, model: `model-${n}`, apiKey: '', options: {} }
            const found = await findChatModel(ctx, spec)
            const chunks = found.stream({ messages: [], signal: ctx.signal })
            const answer = chunks[Symbol.asyncIterator]()
            while ((await answer.next()).done !== true);
          }
          return 'done'
        },
      }),
    },
  })
  const engine = await createTestEngine({
    components: createRegistry([asks]),
    models: { chatModel: () => model, embedder: () => Promise.reject(new Error('none')) },
    metrics,
  })
  const flow = flowBuilder()
  flow.add(asks, { id: 'Asks-1' })
  const metadata = {
    ownerId: engine.adminId,
    storedFlowId: 'none',
    isPublic: false,
    logBuilds: false,
  }
  const { id } = await engine.jobs.start({ flow: flow.toJSON(), outputType: 'debug', metadata })
  expect((await engine.jobs.result(id)).status).toBe('succeeded')
  await engine.close()
  const all = await metrics.collect()
  const calls = all.find(({ name }) => name === 'flow_model_calls_total')?.samples ?? []
  expect(calls.length).toBeLessThanOrEqual(501)
  expect(calls.reduce((sum, { value }) => sum + value, 0)).toBe(10_000)
  expect(JSON.stringify(all)).not.toContain('model-9999')
})
