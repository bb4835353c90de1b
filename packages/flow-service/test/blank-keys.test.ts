import { expect, test } from 'vitest'
import { flowBuilder, startFakeOpenAi } from '@x/flow-engine/testing'
import { createRegistry } from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { createUserCalls } from '@x/test-kit'

/** Question -> Model without a key -> Answer. */
function blank(values: object = {}): unknown {
  const flow = flowBuilder('blank')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  const model = builtinComponents.find(({ type }) => type === 'OpenAIModel')
  if (model === undefined) throw new RangeError('no model')
  flow.add(model, { id: 'OpenAIModel-1', values: { model_name: 'gpt-4o-mini', ...values } })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow
    .connect('ChatInput-1.message', 'OpenAIModel-1.input_value')
    .connect('OpenAIModel-1.text_output', 'ChatOutput-1.input_value')
  const { data } = flow.toJSON()
  const template = data?.nodes?.[1]?.data.node.template
  Object.assign(template?.api_key ?? {}, { value: '', load_from_db: false })
  return data
}

async function calls(values: object = {}) {
  const model = await startFakeOpenAi({ script: [{ text: 'hi' }] })
  const made = await createUserCalls({
    ssrfAllow: ['127.0.0.1'],
    components: createRegistry(builtinComponents),
  })
  const { call, create, engine } = made
  const id = await create(blank(values))
  return {
    model,
    run: async (path = id) => call('POST', `/api/v1/run/${path}`, { input_value: 'hello' }),
    store: (name: string, value: string, fields: string[] = [], type = 'Credential') =>
      call('POST', '/api/v1/variables/', { name, value, type, default_fields: fields }),
    put: async (base: string) => create(blank({ openai_api_base: base })),
    close: async () => {
      await engine.close()
      await model.close()
    },
  }
}

test('FF-22: a blank key without a variable names the variable to set', async () => {
  const { run, close } = await calls()
  const { status, text } = await run()
  expect(status).toBe(500)
  expect(text).toContain(
    'Component OpenAI needs OpenAI API Key. Give it in the node or as the variable OPENAI_API_KEY.',
  )
  await close()
})

test('FF-24: a stored key is not sent to an address of the flow', async () => {
  const { run, store, put, model, close } = await calls()
  await store('OPENAI_API_KEY', 'sk-mine-1')
  const { text } = await run(await put(model.url))
  expect(text).toContain(
    `Component OpenAI needs OpenAI API Key for the address ${new URL(model.url).host}. Give it in the node, or choose the variable OPENAI_API_KEY there.`,
  )
  expect(model.requests).toEqual([])
  await close()
})
