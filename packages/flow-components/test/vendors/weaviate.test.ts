import { describe, expect, test } from 'vitest'
import { builtinComponents, weaviate } from '@x/flow-components'
import { createData, createRegistry, type Data } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const embedding = {
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length, 1]),
}
const server = { url: 'https://weaviate.example/', api_key: 'store-key-1', index_name: 'Notes' }
const ingest_data = [createData({ text: 'one', page: 1, id: 'x', tags: ['a'] })]

async function build(inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const { fetch, requests } = scriptedFetch(...answers)
  const { outputs } = await testComponent(weaviate, {
    inputs: { ...server, ...inputs },
    services: { fetch },
  })
  return { rows: (outputs['search_results'] as Data[]).map(({ data }) => data), requests }
}

/** The class as the server describes it. */
const schema = (...names: string[]) =>
  jsonAnswer({
    class: 'Notes',
    properties: [
      ...names.map((name) => ({ name, dataType: ['text'] })),
      { name: 'linked', dataType: ['OtherClass'] },
    ],
  })

describe('FF-83: Weaviate', () => {
  test('FF-83: the class is created when it is missing, documents are added and searched', async () => {
    const { rows, requests } = await build(
      { embedding, ingest_data, search_query: 'two' },
      jsonAnswer({ error: 'no such class' }, { status: 404 }),
      jsonAnswer({ class: 'Notes' }),
      jsonAnswer([{ result: { status: 'SUCCESS' } }]),
      schema('text', 'page', 'source'),
      jsonAnswer({ data: { Get: { Notes: [{ text: 'one', page: '1', source: null }] } } }),
    )
    expect(rows).toEqual([{ text: 'one', page: '1' }])
    expect(requests).toMatchObject([
      { method: 'GET', url: 'https://weaviate.example/v1/schema/Notes' },
      {
        method: 'POST',
        url: 'https://weaviate.example/v1/schema',
        headers: { authorization: 'Bearer store-key-1' },
        body: {
          class: 'Notes',
          vectorizer: 'none',
          properties: [{ name: 'text', dataType: ['text'] }],
        },
      },
      {
        url: 'https://weaviate.example/v1/batch/objects',
        body: {
          objects: [
            {
              class: 'Notes',
              vector: [3, 1],
              properties: { text: 'one', page: 1, id_: 'x', tags: '["a"]' },
            },
          ],
        },
      },
      { method: 'GET' },
      {
        url: 'https://weaviate.example/v1/graphql',
        body: {
          query: '{Get {Notes(nearVector: {vector: [3,1]}, limit: 4) {text page source}}}',
        },
      },
    ])
  })

  test('FF-83: the server can embed texts itself', async () => {
    const { rows, requests } = await build(
      { search_by_text: true, search_query: 'a "quoted" text', number_of_results: 2 },
      schema('text'),
      jsonAnswer({ data: { Get: { Notes: null } } }),
    )
    expect(rows).toEqual([])
    expect(requests[1]?.body).toEqual({
      query: '{Get {Notes(nearText: {concepts: ["a \\"quoted\\" text"]}, limit: 2) {text}}}',
    })
    await expect(build({ search_query: 'x' })).rejects.toThrow('Weaviate needs an embedding model')
  })

  test('FF-83: names that Weaviate refuses, and errors beside a good status, are told', async () => {
    const found = { embedding, search_query: 'x' }
    await expect(build({ ...found, index_name: 'notes' })).rejects.toThrow(
      'Weaviate requires the index name to be capitalized. Use: Notes',
    )
    await expect(build({ ...found, index_name: 'Notes) {x}' })).rejects.toThrow('Weaviate requires')
    await expect(build({ ...found, text_key: 'a b' })).rejects.toThrow('Text Key cannot be "a b"')
    const refused = jsonAnswer({ errors: [{ message: 'bad vector' }] })
    await expect(build(found, schema('text'), refused)).rejects.toThrow(
      'Weaviate answered: bad vector',
    )
    const unsaved = jsonAnswer([{ result: { errors: { error: [{ message: 'too long' }] } } }])
    await expect(build({ embedding, ingest_data }, schema('text'), unsaved)).rejects.toThrow(
      'Weaviate answered: too long',
    )
  })

  test('FF-83: files name the type by class, module or older name', () => {
    const registry = createRegistry(builtinComponents)
    for (const type of ['Weaviate', 'WeaviateVectorStore', 'WeaviateVectorStoreComponent'])
      expect(registry.get(type)).toBe(weaviate)
  })
})
