import { describe, expect, test } from 'vitest'
import { builtinComponents, ollamaEmbeddings } from '../../src/components.ts'
import { createNode } from '../../src/components/node/create-node.ts'
import { refreshNode } from '../../src/components/node/refresh-node.ts'
import type { Embedder } from '../../src/models/chat-model.ts'
import { testComponent } from '../../src/testing.ts'
import { jsonAnswer, scriptedFetch } from '../support/scripted-fetch.ts'

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
] as const

describe.each(CASES)('$type', ({ type, inputs, url, headers, body, lacks }) => {
  test('MO-20: the request and its vectors', async () => {
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
      'The answer holds 0 embeddings for 2 texts',
    )
  })

  test('MO-20: what is missing is named', async () => {
    const [missing, text] = lacks
    await expect(embed(type, { ...inputs, ...missing })).rejects.toThrow(text)
  })
})

test('MO-20: an Ollama server needs no key', async () => {
  const inputs = { base_url: 'https://ollama.example', model_name: 'nomic' }
  const { requests } = await embed('OllamaEmbeddings', inputs, answer([1], [2]))
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
})

test('MO-20: the editor offers the models that an Ollama server has', async () => {
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
