import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { languageModel } from '@x/flow-engine/components'
import type { Component } from '@x/flow-engine'
import { agent, structuredOutput } from '@x/flow-engine/components'
import { batchRun, embeddingModel } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createRegistry, runFlow, type FlowJson } from '@x/flow-engine'
import type { ChatModel, Embedder } from '@x/flow-engine'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const CHOICE = [{ name: 'gpt-4o-mini', provider: 'OpenAI' }]
const NEWER = { model: 'ModelInput', provider: 'StrInput', model_name: 'StrInput' }
const completion = (content = 'ok'): Response =>
  jsonAnswer({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] })
const user = (known: Record<string, string>): ComponentServices => ({
  variables: { get: async (name) => known[name] ?? null },
})

async function ask(inputs: object, services: ComponentServices = {}, inputTypes = NEWER) {
  const { fetch, requests } = scriptedFetch(completion(), completion(), completion())
  const result = await testComponent(languageModel, {
    inputs: { input_value: 'Hi', ...inputs },
    output: 'text_output',
    inputTypes,
    services: { fetch, ...services },
  })
  return { result, request: requests[0] }
}

describe('the model picker (NX-10 to NX-12)', () => {
  const services = user({ OPENAI_API_KEY: 'sk-u', GROQ_API_KEY: 'gsk' })

  test.each([
    ['a list', CHOICE],
    ['one object', CHOICE[0]],
    ['a plain name from our lists', 'gpt-4o-mini'],
    [
      'a list with many other fields',
      [{ ...CHOICE[0], icon: 'x', category: 'OpenAI', metadata: {} }],
    ],
  ])('NX-10: %s', async (_, model) => {
    const { request } = await ask({ model }, services)
    expect(request).toMatchObject({
      url: 'https://api.openai.com/v1/chat/completions',
      headers: { authorization: 'Bearer sk-u' },
      body: { model: 'gpt-4o-mini', temperature: 0.1 },
    })
  })

  test.each([[''], [null], [[]], ['connect_other_models']])(
    'NX-10, NX-14: %j is not a choice',
    async (model) => {
      await expect(ask({ model }, services)).rejects.toThrow('A model selection is required')
    },
  )

  test('NX-11: a connected model takes precedence; without a picker in the node the older fields apply', async () => {
    const model: ChatModel = {
      name: 'mine',
      async *stream() {
        yield { text: 'from the edge' }
        yield { finish: 'stop' }
      },
    }
    const { result, request } = await ask({ model }, services)
    expect([result.value, request]).toMatchObject([{ text: 'from the edge' }, undefined])
    const older = await ask({ provider: 'OpenAI', model_name: 'gpt-4' }, services, {} as never)
    expect(older.request?.body).toMatchObject({ model: 'gpt-4' })
  })

  test('NX-11: a tweak can choose the model in nodes of either kind', async () => {
    const { request } = await ask({ model: CHOICE, provider: 'OpenAI' }, services, {} as never)
    expect(request?.body).toMatchObject({ model: 'gpt-4o-mini' })
  })

  test('NX-12: overrides replace name and provider, and are refused beside a connected model', async () => {
    const over = { model: CHOICE, model_name: 'llama-3.3-70b-versatile', provider: 'groq' }
    const { request } = await ask(over, services)
    expect(request).toMatchObject({
      url: 'https://api.groq.com/openai/v1/chat/completions',
      headers: { authorization: 'Bearer gsk' },
      body: { model: 'llama-3.3-70b-versatile' },
    })
    const model: ChatModel = { stream: async function* () {} }
    await expect(ask({ model, model_name: 'x' }, services)).rejects.toThrow(
      'Model name/provider overrides need a model chosen in the list, not a connected one.',
    )
  })

  test('NX-12: max_tokens is sent only above 0, and no temperature for reasoning models', async () => {
    const limited = await ask({ model: CHOICE, max_tokens: 7 }, services)
    expect(limited.request?.body).toMatchObject({ max_completion_tokens: 7 })
    const free = await ask({ model: CHOICE, max_tokens: 0 }, services)
    expect(free.request?.body).not.toHaveProperty('max_completion_tokens')
    for (const metadata of [{ reasoning: true }, { reasoning_models: ['gpt-4o-mini'] }]) {
      const { request } = await ask({ model: [{ ...CHOICE[0], metadata }] }, services)
      expect(request?.body).not.toHaveProperty('temperature')
    }
  })
})

describe('the key of a provider (NX-13, NX-14, AB-41)', () => {
  const environment = { OPENAI_API_KEY: 'sk-env', GROQ_API_KEY: 'gsk-env' }
  const keyOf = async (inputs: object, services: ComponentServices): Promise<unknown> =>
    (await ask({ model: CHOICE, ...inputs }, services)).request?.headers.authorization

  test('NX-13: the key is taken from the node, then the variable of the user, then the environment', async () => {
    const both = { ...user({ OPENAI_API_KEY: 'sk-user' }), environment }
    expect(await keyOf({ api_key: 'sk-node' }, both)).toBe('Bearer sk-node')
    expect(await keyOf({ api_key: '' }, both)).toBe('Bearer sk-user')
    expect(await keyOf({ api_key: '' }, { environment })).toBe('Bearer sk-env')
  })

  test('FF-20, FF-24: a variable kept for the field comes before the usual one, and not to an address of the node', async () => {
    const keeps = (values: Record<string, string>) => {
      const { variables } = user(values)
      const get = async (name: string) => (await variables?.get(name, { flowId: '' })) ?? null
      return { variables: { get, forField: async () => 'KEPT' } }
    }
    const kept = keeps({ KEPT: 'sk-kept', OPENAI_API_KEY: 'sk-user' })
    const { requests } = await run(flow({ value: '' }), kept)
    expect(requests[0]?.headers.authorization).toBe('Bearer sk-kept')
    const choice = [{ name: 'x', provider: 'IBM WatsonX' }]
    const address = { base_url_ibm_watsonx: 'https://evil.example', project_id: 'p' }
    await expect(
      ask({ model: choice, ...address }, user({ WATSONX_APIKEY: 'k-user' })),
    ).rejects.toThrow(
      'needs API Key for the address evil.example. Give it in the node, or choose the variable WATSONX_APIKEY there.',
    )
  })

  test('NX-14: the error for a missing key names the variable', async () => {
    await expect(ask({ model: CHOICE }, {})).rejects.toThrow(
      'OpenAI API key is required when using OpenAI provider. Set it in the component or in the variable OPENAI_API_KEY.',
    )
    const other = [{ name: 'x', provider: 'Acme & Sons' }]
    await expect(ask({ model: other }, {})).rejects.toThrow('in the variable ACME_SONS_API_KEY.')
    await expect(ask({ model: other }, user({ ACME_SONS_API_KEY: 'k' }))).rejects.toThrow(
      /^Unknown provider: Acme & Sons\. Known: Anthropic, Azure AI Foundry, /,
    )
    await expect(ask({ model: [{ name: 'gpt-4o-mini' }] }, {})).rejects.toThrow(
      'The selected model has no provider. Choose the model again in the list.',
    )
  })

  const flow = (values: object): FlowJson => {
    const build = flowBuilder()
    const [input, model, answer] = [
      build.add('ChatInput'),
      build.add('LanguageModelComponent'),
      build.add('ChatOutput'),
    ]
    build.connect(`${input}.message`, `${model}.input_value`)
    build.connect(`${model}.text_output`, `${answer}.input_value`)
    const json = build.toJSON()
    const template = json.data?.nodes?.[1]?.data.node.template ?? {}
    delete template.provider
    delete template.model_name
    template.model = { type: 'model', _input_type: 'ModelInput', value: CHOICE, required: true }
    Object.assign(template.api_key ?? {}, values)
    return json
  }
  const run = async (json: FlowJson, services: ComponentServices) => {
    const { fetch, requests } = scriptedFetch(completion('answered'))
    const components = createRegistry(builtinComponents)
    const result = await runFlow(json, { components, services: { fetch, ...services } }).result
    return { result, requests }
  }

  test('NX-13: a named variable that is missing is ignored if another source has a key', async () => {
    const json = flow({ value: 'MY_KEY', load_from_db: true })
    const { result, requests } = await run(json, user({ OPENAI_API_KEY: 'sk-user-variable' }))
    expect(result.text()).toBe('answered')
    expect(requests[0]?.headers.authorization).toBe('Bearer sk-user-variable')
    const { result: missing } = await run(json, {})
    expect(missing.error?.detail).toContain(
      'in the variable OPENAI_API_KEY. MY_KEY variable not found.',
    )
  })

  test('NX-14: a key typed in place of a variable name is not shown', async () => {
    const json = flow({ value: 'sk-proj-AbC1dEf2GhI3jKl4', load_from_db: true })
    const { result } = await run(json, {})
    expect(result.error?.detail).toContain(
      'OPENAI_API_KEY. The variable that the field of the key names was not found.',
    )
    expect(JSON.stringify(result)).not.toContain('AbC1dEf2')
  })

  test('NX-14: an empty picker has an error of its own, not that of a required input', async () => {
    const json = flow({})
    Object.assign(json.data?.nodes?.[1]?.data.node.template.model ?? {}, { value: '' })
    const { result } = await run(json, {})
    expect(result.error?.detail).toContain('A model selection is required')
  })

  test('AB-41: a key of the environment is never sent to an address of the flow or of a user', async () => {
    const choice = [{ name: 'x', provider: 'IBM WatsonX' }]
    const own = { environment: { WATSONX_APIKEY: 'k-env' } }
    const address = { base_url_ibm_watsonx: 'https://mine.example', project_id: 'p' }
    await expect(ask({ model: choice, ...address }, own)).rejects.toThrow(
      'The key WATSONX_APIKEY of the server is not sent to an address of the flow',
    )
    const elsewhere = { ...user({ OPENAI_BASE_URL: 'https://mine.example' }), environment }
    await expect(ask({ model: CHOICE }, elsewhere)).rejects.toThrow(
      'The key OPENAI_API_KEY of the server is not sent to an address of the flow',
    )
    const proxied = { environment: { ...environment, OPENAI_BASE_URL: 'https://proxy.example/v1' } }
    const { request } = await ask({ model: CHOICE }, proxied)
    expect(request?.url).toBe('https://proxy.example/v1/chat/completions')
  })

  test.each([
    ['Groq', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1/chat/completions'],
    ['Mistral', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1/chat/completions'],
    ['OpenRouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1/chat/completions'],
    [
      'google generative-ai',
      'GOOGLE_API_KEY',
      'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    ],
  ])('NX-15, MO-2: the key is sent to the address of %s', async (provider, name, url) => {
    const { request } = await ask({ model: [{ name: 'm', provider }] }, user({ [name]: 'k-1' }))
    expect(request).toMatchObject({ url, headers: { authorization: 'Bearer k-1' } })
  })

  test('NX-15: Azure, Foundry, Ollama and OpenAI-compatible servers are reached at the address of a variable', async () => {
    const at = async (provider: string, known: Record<string, string>): Promise<unknown> =>
      (await ask({ model: [{ name: 'm', provider }] }, user(known))).request?.url
    expect(
      await at('Azure OpenAI', {
        AZURE_OPENAI_API_KEY: 'k',
        AZURE_OPENAI_ENDPOINT: 'https://a.example/',
      }),
    ).toBe('https://a.example/openai/deployments/m/chat/completions?api-version=2024-10-21')
    expect(
      await at('Azure AI Foundry', {
        AZURE_AI_FOUNDRY_API_KEY: 'k',
        AZURE_AI_FOUNDRY_ENDPOINT: 'https://f.example/v1',
      }),
    ).toBe('https://f.example/v1/chat/completions')
    expect(await at('Ollama', { OLLAMA_BASE_URL: 'http://o.example:11434/v1' })).toBe(
      'http://o.example:11434/v1/chat/completions',
    )
    expect(await at('OpenAI Compatible', { OPENAI_BASE_URL: 'http://c.example/v1' })).toBe(
      'http://c.example/v1/chat/completions',
    )
    await expect(at('Azure OpenAI', { AZURE_OPENAI_API_KEY: 'k' })).rejects.toThrow(
      'Set it in the variable AZURE_OPENAI_ENDPOINT.',
    )
  })
})

describe('other components with a picker (NX-11, NX-25, NX-26)', () => {
  const services = user({ OPENAI_API_KEY: 'sk-u' })
  const through = async (component: Component, inputs: object, answer: Response) => {
    const { fetch, requests } = scriptedFetch(answer)
    const { outputs } = await testComponent(component, {
      inputs: { model: CHOICE, ...inputs },
      inputTypes: { model: 'ModelInput' },
      output: Object.keys(component.outputs).slice(0, 1),
      services: { fetch, ...services },
    })
    return { outputs, request: requests[0] }
  }

  test('NX-25: Batch Run and Structured Output use the picker', async () => {
    const rows = await through(
      batchRun,
      { df: createDataFrame([{ a: 'x' }]), column_name: 'a' },
      completion('y'),
    )
    expect(rows.request?.headers.authorization).toBe('Bearer sk-u')
    const args = JSON.stringify({ objects: [{ field: 'v' }] })
    const call = { id: 'c', function: { name: 'OutputModel', arguments: args } }
    const made = jsonAnswer({ choices: [{ message: { tool_calls: [call] } }] })
    const structured = await through(structuredOutput, { input_value: 'x' }, made)
    expect(structured.outputs.structured_output).toMatchObject({ data: { field: 'v' } })
  })

  test('NX-26: an embedding model is chosen too, and dimensions 0 is not sent', async () => {
    const { fetch, requests } = scriptedFetch(jsonAnswer({ data: [{ index: 0, embedding: [1] }] }))
    const { value } = await testComponent(embeddingModel, {
      inputs: { model: [{ name: 'text-embedding-3-large', provider: 'OpenAI' }], dimensions: 0 },
      inputTypes: { model: 'ModelInput' },
      services: { fetch, ...services },
    })
    expect(await (value as Embedder).embed(['a'])).toEqual([[1]])
    expect(requests[0]).toMatchObject({ headers: { authorization: 'Bearer sk-u' } })
    expect(requests[0]?.body).toMatchObject({ model: 'text-embedding-3-large' })
    expect(requests[0]?.body).not.toHaveProperty('dimensions')
  })

  test('NX-14: an agent without a choice has an error text of its own', async () => {
    const inputs = { input_value: 'x', model: '' }
    const options = { inputs, inputTypes: { model: 'ModelInput' }, output: 'response' }
    await expect(testComponent(agent, options)).rejects.toThrow(
      'No model selected. Please select a language model from the available options.',
    )
  })

  test('new nodes have no model picker, as in 1.7.1', () => {
    expect(Object.keys(createNode(languageModel).data.node.template)).not.toContain('model')
  })
})
