import { expect, test } from 'vitest'
import { anthropicModel, openAiEmbeddings, openAiModel } from '@x/flow-components'
import { createModelProviders } from '@x/flow-engine/models'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'
import { createTestRuntime } from '@x/wire'

function network() {
  const addresses: string[] = []
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    addresses.push(address instanceof Request ? address.url : String(address))
    return new Response('{}', { status: 401 })
  }
  return { addresses, services: { ...createMemoryServices(), fetch } }
}

test.each([
  ['OpenAI', openAiModel, { input_value: 'hi', api_key: '' }, 'text_output'],
  ['OpenAI', openAiModel, { input_value: 'hi', api_key: ' ' }, 'model_output'],
  ['OpenAI', openAiEmbeddings, { openai_api_key: '' }, 'embeddings'],
  ['Anthropic', anthropicModel, { input_value: 'hi', api_key: '' }, 'text_output'],
])('%s: without a key nothing is sent', async (vendor, component, inputs, output) => {
  const { addresses, services } = network()
  await expect(testComponent(component, { inputs, output, services })).rejects.toThrow(
    `${vendor} API key is required`,
  )
  expect(addresses).toEqual([])
})

test.each([
  [openAiModel, { openai_api_base: 'http://models.example/v1' }, {}],
  [anthropicModel, { base_url: 'http://models.example' }, {}],
  [openAiModel, {}, { OPENAI_BASE_URL: 'http://models.example/v1' }],
])('a server at another address is asked without a key', async (component, more, environment) => {
  const { addresses, services } = network()
  const asking = testComponent(component, {
    inputs: { input_value: 'hi', api_key: '', ...more },
    output: 'text_output',
    services: { ...services, environment },
  })
  await expect(asking).rejects.toThrow('401')
  expect(addresses[0]).toMatch(/^http:\/\/models\.example\//)
})

test('the built-in clients of every vendor need a key', async () => {
  const { services } = network()
  const providers = createModelProviders({ services, runtime: createTestRuntime() })
  const vendors = ['OpenAI', 'Anthropic', 'Google Generative AI', 'Groq', 'Mistral', 'OpenRouter']
  for (const provider of vendors) {
    const make = (options: object) => () =>
      providers.chatModel({ provider, model: 'm', options: { ...options } })
    expect(make({})).toThrow(`${provider} API key is required`)
    expect(make({ headers: { Authorization: 'Bearer own' } })).not.toThrow()
  }
})
