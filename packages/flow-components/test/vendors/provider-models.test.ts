import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import type { Message } from '@x/flow-engine'
import type { ChatModel } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const KEY = 'provider-secret-key'

const completion = (content: string | null): Response =>
  jsonAnswer({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] })

function component(type: string) {
  const found = builtinComponents.find((each) => each.type === type)
  if (found === undefined) throw new RangeError(type)
  return found
}

async function ask(type: string, inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const { fetch, requests } = scriptedFetch(...answers)
  const { value } = await testComponent(component(type), {
    inputs: { input_value: 'Hi', system_message: 'Be brief', ...inputs },
    output: 'text_output',
    services: { fetch },
  })
  return { text: (value as Message).text, requests }
}

interface Case {
  readonly type: string
  readonly name: string
  /** Inputs with every setting the provider takes. */
  readonly full: Readonly<Record<string, unknown>>
  readonly url: string
  readonly headers?: object
  readonly body: object
  /** Members that requests without settings must not have. */
  readonly unset: readonly string[]
}

const bearer = { authorization: `Bearer ${KEY}` }

const CASES: readonly Case[] = [
  {
    type: 'GroqModel',
    name: 'Groq',
    full: { api_key: KEY, model_name: 'llama-x', max_tokens: 9, temperature: 0.2, n: 2 },
    url: 'https://api.groq.com/openai/v1/chat/completions',
    headers: bearer,
    body: { model: 'llama-x', max_tokens: 9, temperature: 0.2, n: 2 },
    unset: ['max_tokens', 'n'],
  },
  {
    type: 'MistralModel',
    name: 'MistralAI',
    full: { api_key: KEY, model_name: 'm', max_tokens: 9, top_p: 0.5, random_seed: 7 },
    url: 'https://api.mistral.ai/v1/chat/completions',
    headers: bearer,
    body: { model: 'm', max_tokens: 9, temperature: 0.1, top_p: 0.5, random_seed: 7 },
    unset: ['max_tokens', 'seed'],
  },
  {
    type: 'OpenRouterComponent',
    name: 'OpenRouter',
    full: {
      api_key: KEY,
      model_name: 'a/b',
      max_tokens: 9,
      site_url: 'https://me.example',
      app_name: 'Mine',
    },
    url: 'https://openrouter.ai/api/v1/chat/completions',
    headers: { ...bearer, 'http-referer': 'https://me.example', 'x-title': 'Mine' },
    body: { model: 'a/b', max_tokens: 9, temperature: 0.7 },
    unset: ['max_tokens'],
  },
  {
    type: 'GoogleGenerativeAIModel',
    name: 'Google Generative AI',
    full: { api_key: KEY, model_name: 'gem', max_output_tokens: 9, top_p: 0.4, n: 3, top_k: 5 },
    url: 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    headers: bearer,
    body: { model: 'gem', max_tokens: 9, temperature: 0.1, top_p: 0.4, n: 3 },
    unset: ['max_tokens', 'top_p', 'n', 'top_k'],
  },
  {
    type: 'AzureOpenAIModel',
    name: 'Azure OpenAI',
    full: {
      api_key: KEY,
      azure_endpoint: 'https://mine.openai.example/',
      azure_deployment: 'my gpt',
      api_version: 'any-text',
      max_tokens: 9,
    },
    url: 'https://mine.openai.example/openai/deployments/my%20gpt/chat/completions?api-version=any-text',
    headers: { 'api-key': KEY },
    body: { max_tokens: 9, temperature: 1 },
    unset: ['model', 'max_tokens'],
  },
  {
    type: 'HuggingFaceModel',
    name: 'Hugging Face',
    full: {
      huggingfacehub_api_token: KEY,
      model_id: 'custom',
      custom_model: 'me/mine',
      top_p: 0.5,
    },
    url: 'https://router.huggingface.co/v1/chat/completions',
    headers: bearer,
    body: { model: 'me/mine', max_tokens: 512, top_p: 0.5, temperature: 0.8 },
    unset: ['top_k'],
  },
  {
    type: 'CohereModel',
    name: 'Cohere',
    full: { cohere_api_key: KEY },
    url: 'https://api.cohere.ai/compatibility/v1/chat/completions',
    headers: bearer,
    body: { model: 'command-r-plus', temperature: 0.75 },
    unset: ['max_tokens'],
  },
]

const RULE = {
  HuggingFaceModel: 'MO-13',
  CohereModel: 'MO-13',
  AzureOpenAIModel: 'MO-12',
  GoogleGenerativeAIModel: 'MO-11',
}
const needed = {
  OpenRouterComponent: { model_name: 'a/b' },
  AzureOpenAIModel: { azure_endpoint: 'https://mine.openai.example', azure_deployment: 'd' },
}

describe.each(CASES)('$type', ({ type, name, full, url, headers, body, unset }) => {
  const rule = Object.entries(RULE).find(([of]) => of === type)?.[1] ?? 'MO-10'
  const keyField = Object.keys(full).find((each) => full[each] === KEY) ?? ''
  const least = Object.entries(needed).find(([of]) => of === type)?.[1] ?? {}

  test(`${rule}: sends the request and returns the answer`, async () => {
    const { text, requests } = await ask(type, full, completion('Hello'))
    expect(text).toBe('Hello')
    expect(requests).toMatchObject([{ method: 'POST', url, headers, body }])
    expect(requests[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect(requests[0]?.body).not.toHaveProperty('top_k')
  })

  test(`${rule}: unset settings are not sent; an empty answer gives an empty string`, async () => {
    const { text, requests } = await ask(type, { [keyField]: KEY, ...least }, completion(null))
    expect(text).toBe('')
    for (const member of unset) expect(requests[0]?.body).not.toHaveProperty(member)
  })

  test(`${rule}: a missing key fails, and an API error does not show the key`, async () => {
    await expect(ask(type, { ...least, [keyField]: '' })).rejects.toThrow(
      `${name} API key is required`,
    )
    const refused = jsonAnswer({ error: { message: `bad key ${KEY}` } }, { status: 400 })
    const failed = ask(type, full, refused)
    await expect(failed).rejects.toThrow('bad key')
    await expect(failed).rejects.not.toThrow(KEY)
  })

  test(`${rule}: the model is available as a value for other components`, async () => {
    const { fetch, requests } = scriptedFetch(completion('Yes'))
    const { value } = await testComponent(component(type), {
      inputs: full,
      output: 'model_output',
      services: { fetch },
    })
    const messages = [{ role: 'user', content: 'Q' }] as const
    const signal = new AbortController().signal
    const chunks = []
    for await (const chunk of (value as ChatModel).stream({ messages, signal })) chunks.push(chunk)
    expect(chunks[0]).toEqual({ text: 'Yes' })
    expect(requests).toMatchObject([{ url, body }])
  })
})

test('MO-2: a custom Groq address gets the path of the protocol', async () => {
  const given = { api_key: KEY, base_url: 'https://groq.example/' }
  const { requests } = await ask('GroqModel', given, completion('x'))
  expect(requests[0]?.url).toBe('https://groq.example/openai/v1/chat/completions')
})

test('MO-10: reads the Mistral key of older files', async () => {
  const given = { api_key: '', mistral_api_key: KEY }
  const { requests } = await ask('MistralModel', given, completion('x'))
  expect(requests[0]?.headers).toMatchObject(bearer)
})

test('MO-12: a blank endpoint or deployment is refused by name', async () => {
  const given = { api_key: KEY, azure_endpoint: ' ', azure_deployment: 'd' }
  await expect(ask('AzureOpenAIModel', given)).rejects.toThrow('Azure Endpoint is required')
  await expect(
    ask('AzureOpenAIModel', {
      ...given,
      azure_endpoint: 'https://x.example',
      azure_deployment: '',
    }),
  ).rejects.toThrow('Deployment Name is required')
})

describe('servers of the user’s own', () => {
  test('MO-13: a host other than Hugging Face gets the path of the protocol', async () => {
    const given = { huggingfacehub_api_token: KEY, inference_endpoint: 'https://tgi.example/' }
    const { requests } = await ask('HuggingFaceModel', given, completion('x'))
    expect(requests[0]?.url).toBe('https://tgi.example/v1/chat/completions')
  })

  test('MO-10: LM Studio needs no key; its address is used as written', async () => {
    const given = { model_name: 'local', base_url: 'https://lm.example/v1', api_key: null, seed: 3 }
    const { text, requests } = await ask('LMStudioModel', given, completion('Hello'))
    expect(text).toBe('Hello')
    expect(requests).toMatchObject([
      {
        url: 'https://lm.example/v1/chat/completions',
        body: { model: 'local', seed: 3, temperature: 0.1 },
      },
    ])
    await expect(ask('LMStudioModel', { ...given, model_name: ' ' })).rejects.toThrow(
      'Model Name is required',
    )
  })

  const ollama = { base_url: 'https://ollama.example/', model_name: 'llama3.2' }

  test('MO-10: Ollama gets its settings as options', async () => {
    const given = { ...ollama, num_ctx: 2048, mirostat: 'Mirostat 2.0', stop_tokens: 'END, STOP' }
    const { text, requests } = await ask('OllamaModel', given, completion('Hello'))
    expect(text).toBe('Hello')
    expect(requests).toMatchObject([
      {
        url: 'https://ollama.example/v1/chat/completions',
        body: {
          model: 'llama3.2',
          stop: ['END', 'STOP'],
          options: { num_ctx: 2048, mirostat: 2 },
        },
      },
    ])
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('MO-10: Ollama returns JSON as data and as a table, and other text as text', async () => {
    const read = async (content: string, more: object = {}) => {
      const { fetch, requests } = scriptedFetch(completion(content), completion(content))
      const { outputs } = await testComponent(component('OllamaModel'), {
        inputs: { input_value: 'Hi', ...ollama, ...more },
        output: ['data_output', 'dataframe_output'],
        services: { fetch },
      })
      return { outputs, requests }
    }
    const { outputs, requests } = await read('[{"a": 1}, {"a": 2}]', { format: 'json' })
    expect(outputs).toMatchObject({
      data_output: { data: { a: 1 } },
      dataframe_output: { rows: [{ a: 1 }, { a: 2 }] },
    })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.body).toMatchObject({ response_format: { type: 'json_object' } })
    expect((await read('plain')).outputs).toMatchObject({
      data_output: { data: { text: 'plain' } },
    })
  })

  test('MO-10: reads the Ollama system message of older files', async () => {
    const given = { ...ollama, system_message: '', system: 'Be old' }
    const { requests } = await ask('OllamaModel', given, completion('x'))
    expect(requests[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'Be old' }, {}],
    })
  })
})

test('MO-13: IBM watsonx.ai exchanges its key for a token, then calls the chat of the project', async () => {
  const token = jsonAnswer({ access_token: 'short-lived', expires_in: 3600 })
  const given = {
    api_key: KEY,
    base_url: 'https://eu-de.ml.cloud.ibm.com',
    project_id: 'p1',
    model_name: 'ibm/granite',
    stop_sequence: 'END',
  }
  const { text, requests } = await ask('IBMwatsonxModel', given, token, completion('Hello'))
  expect(text).toBe('Hello')
  expect(requests[1]).toMatchObject({
    headers: { authorization: 'Bearer short-lived' },
    body: { project_id: 'p1', model_id: 'ibm/granite', max_tokens: 1000, seed: 8, stop: ['END'] },
  })
  expect(requests[1]?.url).toMatch('https://eu-de.ml.cloud.ibm.com/ml/v1/text/chat')
  await expect(ask('IBMwatsonxModel', { ...given, project_id: '' })).rejects.toThrow(
    'watsonx Project ID is required',
  )
})
