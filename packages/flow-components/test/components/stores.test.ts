import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import {
  chroma,
  faiss,
  knowledgeIngestion,
  knowledgeRetrieval,
  saveToFile,
} from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import type { Embedder } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

const VECTORS = new Map([
  ['apple', [1, 0]],
  ['pear', [0.8, 0.6]],
  ['car', [0, 1]],
  ['fruit', [0.9, 0.3]],
])
const embedding: Embedder & { texts: string[] } = {
  texts: [],
  embed(texts) {
    this.texts.push(...texts)
    return Promise.resolve(texts.map((text) => VECTORS.get(text) ?? [0, 0]))
  },
}
const text = (value: string, more = {}): Data => createData({ text: value, ...more })

async function found(component: Component, inputs: object, services: ComponentServices) {
  const options = { inputs: { embedding, ...inputs }, services, output: 'search_results' }
  return ((await testComponent(component, options)).value as Data[]).map(({ data }) => data)
}

describe('FAISS (CO-73)', () => {
  test('finds the nearest rows; metadata are kept, the text comes last', async () => {
    const ingest_data = [text('car', { id: 1 }), createDataFrame([{ text: 'apple', id: 2 }])]
    const inputs = { ingest_data, search_query: 'fruit', number_of_results: 1 }
    const [row] = await found(faiss, inputs, createMemoryServices())
    expect(row).toEqual({ id: 2, text: 'apple' })
    expect(Object.keys(row ?? {})).toEqual(['id', 'text'])
  })

  test('an existing index is searched without ingesting data', async () => {
    const services = createMemoryServices()
    const search = async (value: string, more = {}): Promise<unknown> =>
      found(faiss, { ingest_data: [text(value)], search_query: 'fruit', ...more }, services)
    expect(await search('apple')).toEqual([{ text: 'apple' }])
    expect(await search('car')).toEqual([{ text: 'apple' }])
    expect(await search('car', { index_name: 'other' })).toEqual([{ text: 'car' }])
    expect(await search('car', { persist_directory: 'other' })).toEqual([{ text: 'car' }])
  })

  test('a blank query returns nothing, both outputs share one build', async () => {
    embedding.texts.length = 0
    const inputs = { embedding, ingest_data: [text('apple')], search_query: ' ' }
    const { outputs } = await testComponent(faiss, { inputs })
    expect(outputs.search_results).toEqual([])
    expect((outputs.dataframe as DataFrame).rows).toEqual([])
    expect(embedding.texts).toEqual(['apple'])
  })

  test('values that are not data are refused, as is a search without a model', async () => {
    await expect(found(faiss, { ingest_data: ['x'] }, {})).rejects.toThrow(
      'Vector Store Inputs must be Data objects.',
    )
    const inputs = { embedding: null, ingest_data: [text('apple')] }
    await expect(found(faiss, inputs, {})).rejects.toThrow('An embedding model must be connected')
  })

  test('without a store of the host an index lives for one run', async () => {
    const inputs = { ingest_data: [text('apple')], search_query: 'fruit' }
    expect(await found(faiss, inputs, {})).toEqual([{ text: 'apple' }])
    expect(await found(faiss, { search_query: 'fruit' }, {})).toEqual([])
  })
})

describe('Chroma (CO-73)', () => {
  const all = { search_query: 'fruit', number_of_results: 10 }

  test('skips rows equal to stored ones, but not repetitions in one call', async () => {
    const services = createMemoryServices()
    const twice = [text('apple', { id: 1 }), text('apple', { id: 1 })]
    expect(await found(chroma, { ...all, ingest_data: twice }, services)).toHaveLength(2)
    expect(await found(chroma, { ...all, ingest_data: twice }, services)).toHaveLength(2)
    const other = [text('apple', { id: 2 })]
    expect(await found(chroma, { ...all, ingest_data: other }, services)).toHaveLength(3)
    const again = { ...all, ingest_data: other, allow_duplicates: true }
    expect(await found(chroma, again, services)).toHaveLength(4)
  })

  test('keeps only scalars beside the text', async () => {
    const ingest_data = [text('apple', { n: 1, ok: true, none: null, deep: {}, list: [] })]
    expect(await found(chroma, { ...all, ingest_data }, {})).toEqual([
      { n: 1, ok: true, text: 'apple' },
    ])
  })

  test('MMR prefers variety', async () => {
    const ingest_data = [text('apple', { id: 1 }), text('apple', { id: 2 }), text('car')]
    const texts = async (search_type: string): Promise<unknown[]> => {
      const inputs = { ingest_data, search_query: 'fruit', search_type, number_of_results: 2 }
      return (await found(chroma, inputs, {})).map((row) => row.text)
    }
    expect(await texts('Similarity')).toEqual(['apple', 'apple'])
    expect(await texts('MMR')).toEqual(['apple', 'car'])
  })

  test('a Chroma server is not supported', async () => {
    await expect(found(chroma, { chroma_server_host: 'host.example' }, {})).rejects.toThrow(
      'A Chroma server is not supported',
    )
  })
})

describe('knowledge bases (CO-74, CO-75)', () => {
  const models = {
    chatModel: () => Promise.reject(new Error('no chat')),
    embedder: () => embedding,
  }
  const services = (): ComponentServices => ({
    ...createMemoryServices({
      knowledge: { kb: { model: 'text-embedding-3-small', apiKey: 'sk' } },
    }),
    models,
  })
  const rows = createDataFrame([
    { text: 'apple', src: 'a' },
    { text: 'car', src: null },
  ])
  const config = [{ column_name: 'text', vectorize: true, identifier: true }]
  const ingest = async (given: ComponentServices, inputs: object = {}) =>
    testComponent(knowledgeIngestion, {
      inputs: { knowledge_base: 'kb', input_df: rows, column_config: config, ...inputs },
      services: given,
      runtime: createTestRuntime({ start: new Date('2026-01-02T03:04:05Z') }),
    })
  const retrieve = async (given: ComponentServices, inputs: object = {}) => {
    const options = { inputs: { knowledge_base: 'kb', ...inputs }, services: given }
    return ((await testComponent(knowledgeRetrieval, options)).value as DataFrame).rows
  }

  test('an ingestion reports its results', async () => {
    const { value } = await ingest(services())
    expect((value as Data).data).toMatchObject({
      kb_name: 'kb',
      rows: 2,
      config_columns: 1,
      timestamp: '2026-01-02T03:04:05.000Z',
      column_metadata: { total_columns: 2, mapped_columns: 1, unmapped_columns: 1 },
    })
  })

  test('known rows are skipped unless duplicates are allowed', async () => {
    const given = services()
    await ingest(given)
    const again = await ingest(given)
    expect((again.value as Data).data).toMatchObject({ rows: 2 })
    expect(await retrieve(given)).toHaveLength(2)
    await ingest(given, { allow_duplicates: true })
    expect(await retrieve(given)).toHaveLength(4)
  })

  test('retrieves the nearest rows, with score, metadata and vectors on request', async () => {
    const given = services()
    await ingest(given)
    const [nearest] = await retrieve(given, { search_query: 'fruit', top_k: 1 })
    expect(nearest).toMatchObject({
      content: 'apple',
      src: 'a',
      _score: expect.closeTo(-0.1) as number,
    })
    const plain = { search_query: 'fruit', include_metadata: false, include_embeddings: true }
    const [row] = await retrieve(given, plain)
    expect(Object.keys(row ?? {})).toEqual(['content', '_score', '_embeddings'])
    for (const each of await retrieve(given)) {
      expect(each).not.toHaveProperty('_score')
      expect(each).not.toHaveProperty('_embeddings')
    }
  })

  test('impossible operations give clear errors', async () => {
    await expect(ingest(services(), { column_config: [] })).rejects.toThrow(
      'Error during KB ingestion: Column configuration cannot be empty',
    )
    await expect(ingest(services(), { input_df: 'x' })).rejects.toThrow(
      'Unsupported input type: str. Expected DataFrame or Data.',
    )
    await expect(ingest({})).rejects.toThrow('This server has no knowledge bases')
    await expect(retrieve(services(), { knowledge_base: 'nope' })).rejects.toThrow(
      'Metadata not found for knowledge base: nope. Ensure it has been indexed.',
    )
    const keyless = createMemoryServices({ knowledge: { kb: { model: 'm' } } })
    await expect(retrieve(keyless)).rejects.toThrow('OpenAI API key is required')
  })

  test('CO-74, CO-75: embeddings that only a host can provide are refused by name, and nothing is stored', async () => {
    for (const [model, provider] of [
      ['sentence-transformers/all-MiniLM-L6-v2', 'HuggingFace'],
      ['embed-english-v3.0', 'Cohere'],
      ['mine', 'Custom'],
    ] as const) {
      const given = createMemoryServices({ knowledge: { kb: { provider, model } } })
      const refusal = `Unknown provider: ${provider}`
      await expect(ingest(given)).rejects.toThrow(`Error during KB ingestion: ${refusal}`)
      await expect(retrieve(given, { search_query: 'x' })).rejects.toThrow(refusal)
      const kept = await given.knowledge?.get('kb', {})
      expect(await kept?.store.all()).toEqual([])
    }
  })

  test('the editor creates a new base and lists the existing ones', async () => {
    const given = services()
    const change = async (value: unknown) =>
      (
        await refreshNode(
          knowledgeIngestion,
          createNode(knowledgeIngestion),
          { field: 'knowledge_base', value },
          { services: given, userId: 'ann' },
        )
      ).data.node.template.knowledge_base
    const dialog = {
      '01_new_kb_name': 'my-base',
      '02_embedding_model': 'embed-english-v3.0',
      '03_api_key': 'co-1',
    }
    expect(await change(dialog)).toMatchObject({ value: 'my-base', options: ['kb', 'my-base'] })
    expect(await given.knowledge?.get('my-base', { userId: 'ann' })).toMatchObject({
      embedding: { provider: 'Cohere', model: 'embed-english-v3.0', apiKey: 'co-1' },
    })
    expect(await change('gone')).toMatchObject({ value: null })
    for (const name of ['a', 'ab', '-abc', 'abc-', 'a b c', 'a/../b', 'a'.repeat(64)]) {
      await expect(change({ ...dialog, '01_new_kb_name': name })).rejects.toThrow(
        `Invalid knowledge base name: ${name}`,
      )
    }
  })
})

describe('SaveToFile (CO-57)', () => {
  const local = [{ name: 'Local' }]
  const save = async (inputs: object, services: ComponentServices = createMemoryServices()) => {
    const { value } = await testComponent(saveToFile, {
      inputs: { input: createMessage('hi'), file_name: 'out', storage_location: local, ...inputs },
      services,
      flowId: 'f',
    })
    return (value as Message).text
  }

  test('reports the path of the file and whether it existed', async () => {
    const services = createMemoryServices({ files: { 'a/log.txt': 'one' } })
    const inputs = { file_name: './a//log', local_format: 'txt', append_mode: true }
    expect(await save(inputs, services)).toBe("Message appended to 'a/log.txt' at a/log.txt")
    const bytes = await services.files.read('a/log.txt', { flowId: 'f' })
    expect(new TextDecoder().decode(bytes ?? undefined)).toBe('one\nhi')
    expect(await save({ input: createData({ a: 1 }) })).toBe(
      "Data saved successfully as 'out.json' at out.json",
    )
  })

  test.each(['/etc/x', '../x', 'a/../../x', 'C:\\x', '\\\\host\\x', '~/x', 'a\u0000b', 'a/'])(
    'the name %j is refused',
    async (file_name) => {
      await expect(save({ file_name })).rejects.toThrow('must be a relative path')
    },
  )

  test('missing inputs are named in the error', async () => {
    await expect(save({ file_name: '' })).rejects.toThrow('File name must be provided.')
    await expect(save({ storage_location: [] })).rejects.toThrow(
      'Storage location must be selected.',
    )
    await expect(save({ input: 'text' })).rejects.toThrow('Unsupported input type: str')
    await expect(save({}, {})).rejects.toThrow('needs a file store')
  })

  test('remote stores name their missing settings, then report that they are not supported', async () => {
    const aws = { storage_location: [{ name: 'AWS' }], aws_access_key_id: 'k' }
    await expect(save(aws)).rejects.toThrow('AWS Secret Key is required for S3 storage')
    const keys = { ...aws, aws_secret_access_key: 's' }
    await expect(save(keys)).rejects.toThrow('S3 Bucket Name is required for S3 storage')
    await expect(save({ ...keys, bucket_name: 'b' })).rejects.toThrow('AWS is not supported')
    const drive = { storage_location: [{ name: 'Google Drive' }], service_account_key: '{}' }
    await expect(save(drive)).rejects.toThrow(
      'Google Drive Folder ID is required for Google Drive storage',
    )
    await expect(save({ ...drive, folder_id: 'f' })).rejects.toThrow(
      "Google Drive is not supported: files are written to the host's file store only",
    )
    await expect(save({ storage_location: [{ name: 'Disk' }] })).rejects.toThrow(
      'Unsupported storage location: Disk',
    )
  })

  test('CO-57: a table in Excel form overwrites the file, whatever it contained', async () => {
    const services = createMemoryServices({ files: { 'out.xlsx': 'old' } })
    const inputs = { input: createDataFrame([{ a: 1 }]), local_format: 'excel', append_mode: true }
    expect(await save(inputs, services)).toBe(
      "DataFrame saved successfully as 'out.xlsx' at out.xlsx",
    )
    const bytes = await services.files.read('out.xlsx', { flowId: 'f' })
    expect(new TextDecoder().decode(bytes?.slice(0, 2))).toBe('PK')
  })

  test('the editor shows the fields of the location', async () => {
    const change = { field: 'storage_location', value: [{ name: 'AWS', icon: 'Amazon' }] }
    const { template } = (await refreshNode(saveToFile, createNode(saveToFile), change)).data.node
    const shown = Object.keys(saveToFile.inputs).filter((name) => template[name]?.show === true)
    expect(shown.slice(2)).toEqual([
      'file_name',
      'aws_format',
      'aws_access_key_id',
      'aws_secret_access_key',
      'bucket_name',
      'aws_region',
      's3_prefix',
    ])
  })
})
