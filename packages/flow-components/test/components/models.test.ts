import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import {
  anthropicModel,
  batchRun,
  embeddingModel,
  openAiEmbeddings,
  openAiModel,
} from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { Message } from '@x/flow-engine'
import type { ChatModel, Embedder } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const completion = (content: string): Response =>
  jsonAnswer({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] })
const vectors = (...embeddings: unknown[]): Response =>
  jsonAnswer({ data: embeddings.map((embedding, index) => ({ index, embedding })) })
const refresh = async (component: Component, field: string, value: unknown, services = {}) =>
  (await refreshNode(component, createNode(component), { field, value }, { services })).data.node
    .template

describe('OpenAIModel (CO-79)', () => {
  const ask = async (inputs: object, ...answers: Parameters<typeof scriptedFetch>) => {
    const { fetch, requests } = scriptedFetch(...answers)
    const { value } = await testComponent(openAiModel, {
      inputs: { input_value: 'Hi', api_key: 'sk-1', max_retries: 0, ...inputs },
      output: 'text_output',
      services: { fetch },
    })
    return { text: (value as Message).text, requests }
  }

  test('sends its settings; zero tokens mean no limit', async () => {
    const { text, requests } = await ask(
      {
        max_tokens: 0,
        seed: 7,
        json_mode: true,
        model_kwargs: { top_p: 0.5, api_key: 'sk-other' },
        openai_api_base: 'https://llm.example/v1/',
      },
      completion('{}'),
    )
    expect(text).toBe('{}')
    expect(requests[0]).toMatchObject({
      url: 'https://llm.example/v1/chat/completions',
      body: { seed: 7, temperature: 0.1, top_p: 0.5, response_format: { type: 'json_object' } },
    })
    expect(requests[0]?.body).not.toHaveProperty('max_completion_tokens')
    expect(requests[0]?.body).not.toHaveProperty('api_key')
  })

  test('a token limit is sent as max_completion_tokens', async () => {
    const { requests } = await ask({ max_tokens: 5 }, completion('x'))
    expect(requests[0]?.body).toMatchObject({ max_completion_tokens: 5 })
  })

  test('reasoning models get neither temperature nor seed', async () => {
    const { requests } = await ask({ model_name: 'o3-mini' }, completion('x'))
    expect(requests[0]?.body).not.toHaveProperty('temperature')
    expect(requests[0]?.body).not.toHaveProperty('seed')
  })

  test('a 400 fails with the message of the provider, other statuses with their code', async () => {
    const refused = jsonAnswer({ error: { message: 'Bad thing' } }, { status: 400 })
    await expect(ask({}, refused)).rejects.toThrow(/^Bad thing$/)
    const down = jsonAnswer({ error: { message: 'down' } }, { status: 500 })
    await expect(ask({}, down)).rejects.toThrow(/^Error code: 500/)
  })

  test('CO-79: a request is aborted after the timeout, in seconds', async () => {
    const runtime = createTestRuntime()
    const never: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        void runtime.advance(3000)
      })
    const asking = testComponent(openAiModel, {
      inputs: { input_value: 'Hi', api_key: 'sk', max_retries: 0, timeout: 3 },
      output: 'text_output',
      services: { fetch: never },
      runtime,
    })
    await expect(asking).rejects.toThrow()
  })

  test('the editor hides fields that a reasoning model does not support', async () => {
    const shown = async (model: string): Promise<unknown[]> => {
      const template = await refresh(openAiModel, 'model_name', model)
      return ['temperature', 'seed', 'system_message'].map((name) => template[name]?.show)
    }
    expect(await shown('gpt-4o')).toEqual([true, true, true])
    expect(await shown('o3-mini')).toEqual([false, false, true])
    expect(await shown('o1')).toEqual([false, false, false])
  })
})

describe('AnthropicModel (CO-79)', () => {
  const answer = (...texts: string[]): Response =>
    jsonAnswer({ content: texts.map((text) => ({ type: 'text', text })), stop_reason: 'end_turn' })

  test('calls the messages API with its settings', async () => {
    const { fetch, requests } = scriptedFetch(answer('Hello'))
    const { value } = await testComponent(anthropicModel, {
      inputs: { input_value: 'Hi', api_key: 'ak', max_tokens: '', base_url: '', temperature: 0.5 },
      output: 'text_output',
      services: { fetch },
    })
    expect((value as Message).text).toBe('Hello')
    expect(requests[0]).toMatchObject({
      url: 'https://api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'ak', 'anthropic-version': '2023-06-01' },
      body: { max_tokens: 4096, temperature: 0.5 },
    })
  })

  test('CO-79: a 400 fails with the message of the provider', async () => {
    const refused = jsonAnswer({ error: { message: 'Bad thing' } }, { status: 400 })
    const asking = testComponent(anthropicModel, {
      inputs: { input_value: 'Hi', api_key: 'ak' },
      output: 'text_output',
      services: scriptedFetch(refused),
    })
    await expect(asking).rejects.toThrow(/^Bad thing$/)
  })

  test('the editor offers the models available to the key, or the known ones without an answer', async () => {
    const services = {
      ...scriptedFetch(jsonAnswer({ data: [{ id: 'claude-next' }] })),
      variables: { get: () => Promise.resolve('ak-1') },
    }
    const template = await refresh(anthropicModel, 'api_key', 'ANTHROPIC_API_KEY', services)
    expect(template.model_name?.options).toEqual(['claude-next'])
    const offline = await refresh(anthropicModel, 'api_key', 'ANTHROPIC_API_KEY')
    expect(offline.model_name?.options).toContain('claude-3-haiku-20240307')
  })
})

describe('embeddings (CO-58)', () => {
  async function embedder(
    component: Component,
    inputs: object,
    ...answers: Parameters<typeof scriptedFetch>
  ) {
    const { fetch, requests } = scriptedFetch(...answers)
    const { value } = await testComponent(component, { inputs: { ...inputs }, services: { fetch } })
    return { embed: (texts: string[]) => (value as Embedder).embed(texts), requests }
  }

  test('texts are sent in batches, answers can be numbers or base64', async () => {
    const floats = new Float32Array([0.5, -1])
    const base64 = btoa(String.fromCharCode(...new Uint8Array(floats.buffer)))
    const { embed, requests } = await embedder(
      openAiEmbeddings,
      { openai_api_key: 'sk', chunk_size: 2, dimensions: 2, model_kwargs: { user: 'u' } },
      vectors([1, 2], base64),
      vectors([3, 4]),
    )
    expect(await embed(['a', 'b', 'c'])).toEqual([
      [1, 2],
      [0.5, -1],
      [3, 4],
    ])
    expect(requests.map(({ body }) => body)).toMatchObject([
      { input: ['a', 'b'], dimensions: 2, user: 'u' },
      { input: ['c'] },
    ])
  })

  test('headers, organisation and query parameters are sent with every request', async () => {
    const { embed, requests } = await embedder(
      openAiEmbeddings,
      {
        openai_api_key: 'sk',
        openai_organization: 'org',
        default_headers: { 'X-A': 'b' },
        default_query: { v: 1 },
      },
      vectors([1]),
    )
    await embed(['a'])
    expect(requests[0]).toMatchObject({
      url: 'https://api.openai.com/v1/embeddings?v=1',
      headers: { 'x-a': 'b', 'openai-organization': 'org', authorization: 'Bearer sk' },
    })
  })

  test('EmbeddingModel: each provider names its missing settings', async () => {
    const build = async (inputs: object): Promise<unknown> => embedder(embeddingModel, inputs)
    await expect(build({ api_key: '' })).rejects.toThrow(
      'OpenAI API key is required when using OpenAI provider',
    )
    await expect(build({ provider: 'IBM watsonx.ai', api_key: 'k' })).rejects.toThrow(
      'Project ID is required for IBM watsonx.ai provider',
    )
    await expect(build({ provider: 'Acme' })).rejects.toThrow('Unknown provider: Acme')
    await expect(build({ provider: 'Ollama', api_key: '' })).resolves.toBeDefined()
  })

  test('MO-13: embeddings of IBM watsonx.ai exchange the key for a token, then use the model of the project', async () => {
    const inputs = { provider: 'IBM watsonx.ai', model: 'ibm/slate', api_key: 'k', project_id: 'p' }
    const { embed, requests } = await embedder(
      embeddingModel,
      inputs,
      jsonAnswer({ access_token: 't', expires_in: 3600 }),
      jsonAnswer({ results: [{ embedding: [1, 2] }] }),
    )
    expect(await embed(['a'])).toEqual([[1, 2]])
    expect(requests[1]).toMatchObject({
      method: 'POST',
      url: 'https://us-south.ml.cloud.ibm.com/ml/v1/text/embeddings?version=2024-10-08',
      headers: { authorization: 'Bearer t' },
      body: { model_id: 'ibm/slate', project_id: 'p', inputs: ['a'] },
    })
  })

  test('CO-58: EmbeddingModel sends batches of chunk_size with its settings', async () => {
    const { embed, requests } = await embedder(
      embeddingModel,
      { api_key: 'sk', chunk_size: 2, dimensions: 3, model_kwargs: { user: 'u' } },
      vectors([1], [2]),
      vectors([3]),
    )
    expect(await embed(['a', 'b', 'c'])).toEqual([[1], [2], [3]])
    expect(requests.map(({ body }) => body)).toMatchObject([
      { model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 3, user: 'u' },
      { input: ['c'] },
    ])
  })

  test('EmbeddingModel: Ollama is requested at its own address, without a key', async () => {
    const { embed, requests } = await embedder(
      embeddingModel,
      { provider: 'Ollama', model: 'm', ollama_base_url: 'http://host.example:11434' },
      vectors([1]),
    )
    await embed(['a'])
    expect(requests[0]?.url).toBe('http://host.example:11434/v1/embeddings')
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('EmbeddingModel: the editor shows the fields of the provider and the installed Ollama models', async () => {
    const ibm = await refresh(embeddingModel, 'provider', 'IBM watsonx.ai')
    expect(ibm.project_id?.show).toBe(true)
    expect(ibm.api_base?.show).toBe(false)
    const services = scriptedFetch(jsonAnswer({ models: [{ name: 'nomic' }] }))
    const ollama = await refresh(embeddingModel, 'provider', 'Ollama', services)
    expect(ollama.model).toMatchObject({ options: ['nomic'], value: 'nomic' })
    expect(ollama.api_key).toMatchObject({ show: false, required: false })
  })
})

describe('BatchRunComponent (CO-56)', () => {
  const echo: ChatModel & { asked: unknown[] } = {
    asked: [],
    async *stream({ messages, stream }) {
      this.asked.push(messages, stream)
      const question = messages.at(-1)?.content
      yield { text: `<${typeof question === 'string' ? question : 'parts'}>` }
      yield { finish: 'stop' }
    },
  }
  const df = createDataFrame([{ q: 'one', n: 1 }, { q: 'two' }])
  const batch = async (inputs: object, model: ChatModel = echo): Promise<DataFrame> =>
    (await testComponent(batchRun, { inputs: { model, df, ...inputs } })).value as DataFrame

  test('each row gets its answer and its index', async () => {
    expect((await batch({ column_name: 'q', output_column_name: 'a' })).rows).toEqual([
      { q: 'one', n: 1, a: '<one>', batch_index: 0 },
      { q: 'two', a: '<two>', batch_index: 1 },
    ])
  })

  test('without a column the whole row is sent as TOML', async () => {
    const [, second] = (await batch({})).rows
    expect(second?.model_response).toBe('<[q]\nvalue = "two"\n\n[n]\nvalue = "None"\n>')
  })

  test('sends one plain request for each row, with the instructions as system message', async () => {
    echo.asked.length = 0
    await batch({ column_name: 'q', system_message: 'S' })
    expect(echo.asked.slice(0, 2)).toEqual([
      [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'one' },
      ],
      false,
    ])
  })

  test('adds metadata on request', async () => {
    const [row] = (await batch({ column_name: 'q', system_message: 'S', enable_metadata: true }))
      .rows
    expect(row?.metadata).toEqual({
      has_system_message: true,
      input_length: 0,
      response_length: 5,
      processing_status: 'success',
    })
  })

  test('CO-56: metadata describe a request without instructions', async () => {
    const named = createDataFrame([{ text_input: 'ü😀' }])
    const inputs = { df: named, column_name: 'text_input', enable_metadata: true }
    const [row] = (await batch(inputs)).rows
    expect(row).toEqual({
      text_input: 'ü😀',
      model_response: '<ü😀>',
      batch_index: 0,
      metadata: {
        has_system_message: false,
        input_length: 2,
        response_length: 4,
        processing_status: 'success',
      },
    })
    expect((await batch({ df: createDataFrame([], ['q']), column_name: 'q' })).rows).toEqual([])
  })

  test('a failing request fails the run and cancels the others', async () => {
    const cancelled: unknown[] = []
    const failing: ChatModel = {
      async *stream({ messages, signal }) {
        if (messages.at(-1)?.content === 'one') throw new Error('refused')
        signal.addEventListener('abort', () => cancelled.push('two'))
        await new Promise(() => undefined)
        yield { text: '' }
      },
    }
    await expect(batch({ column_name: 'q' }, failing)).rejects.toThrow('refused')
    expect(cancelled).toEqual(['two'])
  })

  test('a missing table and an unknown column are refused', async () => {
    await expect(batch({ df: 'text' })).rejects.toThrow('Expected DataFrame input, got str')
    await expect(batch({ column_name: 'zz' })).rejects.toThrow(
      "Column 'zz' not found in the DataFrame. Available columns: q, n",
    )
  })
})
