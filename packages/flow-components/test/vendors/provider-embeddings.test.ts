import { describe, expect, test } from 'vitest'
import { builtinComponents, ollamaEmbeddings } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import type { Embedder } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const KEY = 'provider-secret-key'

async function embed(
  type: string,
  inputs: Readonly<Record<string, unknown>>,
  ...answers: Parameters<typeof scriptedFetch>
) {
  const component = builtinComponents.find((each) => each.type === type)
  if (component === undefined) throw new RangeError(type)
  const { fetch, requests } = scriptedFetch(...answers)
  const { value } = await testComponent(component, { inputs, services: { fetch } })
  const vectors = await (value as Embedder).embed(['a', 'b'])
  return { vectors, requests }
}

const answer = (...vectors: number[][]): Response =>
  jsonAnswer({ data: vectors.map((embedding, index) => ({ index, embedding })) })

const bearer = { authorization: `Bearer ${KEY}` }

const CASES = [
  {
    type: 'MistalAIEmbeddings',
    inputs: { mistral_api_key: KEY, max_retries: 0 },
    url: 'https://api.mistral.ai/v1/embeddings',
    headers: bearer,
    body: { model: 'mistral-embed' },
    lacks: [{ mistral_api_key: '' }, 'MistralAI Embeddings API key is required'],
  },
  {
    type: 'Google Generative AI Embeddings',
    inputs: { api_key: KEY, model_name: 'models/vec-1' },
    url: 'https://generativelanguage.googleapis.com/v1beta/openai/embeddings',
    headers: bearer,
    body: { model: 'vec-1' },
    lacks: [{ api_key: '' }, 'Google Generative AI Embeddings API key is required'],
  },
  {
    type: 'AzureOpenAIEmbeddings',
    inputs: {
      api_key: KEY,
      azure_endpoint: 'https://mine.openai.example/',
      azure_deployment: 'vec',
      api_version: 'any-text',
      dimensions: 2,
    },
    url: 'https://mine.openai.example/openai/deployments/vec/embeddings?api-version=any-text',
    headers: { 'api-key': KEY },
    body: { dimensions: 2 },
    lacks: [{ azure_endpoint: ' ' }, 'Azure Endpoint is required'],
  },
  {
    type: 'OllamaEmbeddings',
    inputs: { base_url: 'https://ollama.example/v1/', model_name: 'nomic', api_key: KEY },
    url: 'https://ollama.example/v1/embeddings',
    headers: bearer,
    body: { model: 'nomic' },
    lacks: [{ model_name: '' }, 'Ollama Model is required'],
  },
  {
    type: 'LMStudioEmbeddingsComponent',
    inputs: { base_url: 'https://lm.example/v1', model: 'nomic', api_key: KEY },
    url: 'https://lm.example/v1/embeddings',
    headers: bearer,
    body: { model: 'nomic' },
    lacks: [{ model: '' }, 'Model is required'],
  },
] as const

describe.each(CASES)('$type', ({ type, inputs, url, headers, body, lacks }) => {
  test('MO-20: sends the request and returns the vectors', async () => {
    const { vectors, requests } = await embed(type, inputs, answer([1, 0], [0, 1]))
    expect(vectors).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(requests).toMatchObject([{ method: 'POST', url, headers }])
    expect(requests[0]?.body).toEqual({ ...body, input: ['a', 'b'], encoding_format: 'float' })
  })

  test('MO-20: errors do not show the key; an answer without vectors fails', async () => {
    const refused = jsonAnswer({ error: { message: `bad key ${KEY}` } }, { status: 400 })
    const failed = embed(type, inputs, refused)
    await expect(failed).rejects.toThrow('bad key')
    await expect(failed).rejects.not.toThrow(KEY)
    await expect(embed(type, inputs, jsonAnswer({}))).rejects.toThrow(
      'The response has 0 embeddings for 2 texts',
    )
  })

  test('MO-20: errors name a missing input', async () => {
    const [missing, text] = lacks
    await expect(embed(type, { ...inputs, ...missing })).rejects.toThrow(text)
  })
})

test('MO-20: an Ollama server needs no key', async () => {
  const inputs = { base_url: 'https://ollama.example', model_name: 'nomic' }
  const { requests } = await embed('OllamaEmbeddings', inputs, answer([1], [2]))
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
})

test('MO-20: the editor lists the models of an Ollama server', async () => {
  const { fetch, requests } = scriptedFetch(
    jsonAnswer({ models: [{ name: 'nomic' }, { name: 'mxbai' }] }),
  )
  const value = 'https://ollama.example'
  const { data } = await refreshNode(
    ollamaEmbeddings,
    createNode(ollamaEmbeddings),
    { field: 'base_url', value },
    { services: { fetch } },
  )
  expect(requests).toMatchObject([{ method: 'GET', url: 'https://ollama.example/api/tags' }])
  expect(data.node.template.model_name).toMatchObject({
    options: ['nomic', 'mxbai'],
    value: 'nomic',
  })
})

async function embedder(
  type: string,
  inputs: object,
  ...answers: Parameters<typeof scriptedFetch>
) {
  const component = builtinComponents.find((each) => each.type === type)
  if (component === undefined) throw new RangeError(type)
  const { fetch, requests } = scriptedFetch(...answers)
  const { value } = await testComponent(component, { inputs: { ...inputs }, services: { fetch } })
  return { model: value as Embedder, requests }
}

describe('embeddings with other request formats (MO-20)', () => {
  test('MO-20: Cohere distinguishes documents from queries and takes 96 texts per request', async () => {
    const answers = [96, 4, 1].map((count) =>
      jsonAnswer({ embeddings: { float: Array.from({ length: count }, (_, at) => [at, 1]) } }),
    )
    const { model, requests } = await embedder('CohereEmbeddings', { api_key: KEY }, ...answers)
    expect(await model.embed(Array.from({ length: 100 }, () => 'x'))).toHaveLength(100)
    expect(await model.embedQuery?.('q')).toEqual([0, 1])
    const common = { model: 'embed-english-v2.0', embedding_types: ['float'] }
    expect(requests).toMatchObject([
      {
        url: 'https://api.cohere.com/v2/embed',
        headers: bearer,
        body: { ...common, input_type: 'search_document' },
      },
      { body: { input_type: 'search_document', texts: ['x', 'x', 'x', 'x'] } },
      { body: { input_type: 'search_query', texts: ['q'] } },
    ])
  })

  test('MO-20: Cohere: a missing key, an API error and too few embeddings fail without showing the key', async () => {
    await expect(embedder('CohereEmbeddings', { api_key: '' })).rejects.toThrow(
      'API key is required',
    )
    const bad = jsonAnswer({ message: `invalid ${KEY}` }, { status: 401 })
    const { model } = await embedder('CohereEmbeddings', { api_key: KEY }, bad)
    const failed = model.embed(['a'])
    await expect(failed).rejects.toThrow('Cohere answered 401: invalid')
    await expect(failed).rejects.not.toThrow(KEY)
    const short = jsonAnswer({ embeddings: { float: [] } })
    const other = await embedder('CohereEmbeddings', { api_key: KEY }, short)
    await expect(other.model.embed(['a'])).rejects.toThrow('0 embeddings for 1 texts')
  })

  test('MO-20: Hugging Face is called through its router, which replaces the retired address', async () => {
    const given = {
      api_key: KEY,
      inference_endpoint: 'https://api-inference.huggingface.co/models/',
    }
    const { model, requests } = await embedder(
      'HuggingFaceInferenceAPIEmbeddings',
      given,
      jsonAnswer([[1, 2]]),
    )
    expect(await model.embed(['a'])).toEqual([[1, 2]])
    expect(requests).toMatchObject([
      {
        url: 'https://router.huggingface.co/hf-inference/models/BAAI/bge-large-en-v1.5/pipeline/feature-extraction',
        headers: bearer,
        body: { inputs: ['a'] },
      },
    ])
    await expect(
      embedder('HuggingFaceInferenceAPIEmbeddings', { ...given, api_key: '' }),
    ).rejects.toThrow('Hugging Face API key is required')
  })

  test('MO-20: a Hugging Face server of the user needs no key', async () => {
    const given = { inference_endpoint: 'https://tei.example/' }
    const { model, requests } = await embedder(
      'HuggingFaceInferenceAPIEmbeddings',
      given,
      jsonAnswer([[3]]),
    )
    expect(await model.embed(['a'])).toEqual([[3]])
    expect(requests[0]?.url).toBe('https://tei.example/embed')
  })

  test('MO-13: IBM watsonx.ai exchanges its key for a token and embeds', async () => {
    const given = {
      api_key: KEY,
      url: 'https://eu-de.ml.cloud.ibm.com',
      project_id: 'p',
      model_name: 'm',
    }
    const { model, requests } = await embedder(
      'WatsonxEmbeddingsComponent',
      given,
      jsonAnswer({ access_token: 't', expires_in: 3600 }),
      jsonAnswer({ results: [{ embedding: [1] }] }),
    )
    expect(await model.embed(['a'])).toEqual([[1]])
    expect(requests[1]).toMatchObject({
      body: { model_id: 'm', project_id: 'p', parameters: { truncate_input_tokens: 200 } },
    })
  })
})

describe('CohereRerank (MO-35)', () => {
  const rerank = async (inputs: object, ...answers: Parameters<typeof scriptedFetch>) => {
    const component = builtinComponents.find((each) => each.type === 'CohereRerank')
    if (component === undefined) throw new RangeError('CohereRerank')
    const { fetch, requests } = scriptedFetch(...answers)
    const { value } = await testComponent(component, {
      inputs: { api_key: KEY, ...inputs },
      services: { fetch },
    })
    return { rows: (value as Data[]).map(({ data }) => data), requests }
  }
  const search_results = [createData({ text: 'one' }), createData({ text: 'two' })]

  test('MO-35: returns the rows in the order of the answer, with their scores', async () => {
    const { rows, requests } = await rerank(
      { search_query: 'q', search_results, top_n: 2 },
      jsonAnswer({
        results: [
          { index: 1, relevance_score: 0.9 },
          { index: 0, relevance_score: 0.1 },
        ],
      }),
    )
    expect(rows).toEqual([
      { text: 'two', relevance_score: 0.9 },
      { text: 'one', relevance_score: 0.1 },
    ])
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.cohere.com/v2/rerank',
        headers: bearer,
        body: { model: 'rerank-english-v3.0', query: 'q', documents: ['one', 'two'], top_n: 2 },
      },
    ])
  })

  test('MO-35: no rows send no request; an API error is reported', async () => {
    expect(await rerank({ search_query: 'q', search_results: [] })).toEqual({
      rows: [],
      requests: [],
    })
    const failed = jsonAnswer({ message: 'no such model' }, { status: 400 })
    await expect(rerank({ search_query: 'q', search_results }, failed)).rejects.toThrow(
      'Cohere answered 400: no such model',
    )
  })
})
