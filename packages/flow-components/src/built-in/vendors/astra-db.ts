import type { Data } from '@x/flow-engine'
import type { Embedder } from '@x/flow-engine'
import { chosenEmbedder } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { embedText, readDocuments } from '../vectors/ingest.ts'
import { oncePerBuild } from '@x/flow-engine/internal'
import { searchOutputs } from '../vectors/search-outputs.ts'
import { astraEndpoint, type AstraAccess } from './astra-api.ts'
import { describeCollection, type AstraCollection } from './astra-collection.ts'
import { ingestDocuments } from './astra-ingest.ts'
import { searchAstra } from './astra-search.ts'

const fields = {
  token: field.secret({
    displayName: 'Astra DB Application Token',
    default: 'ASTRA_DB_APPLICATION_TOKEN',
    required: true,
    refresh: true,
  }),
  environment: field.dropdown({
    displayName: 'Environment',
    default: 'prod',
    options: ['prod', 'test', 'dev'],
    advanced: true,
    combobox: true,
  }),
  database_name: field.dropdown({
    displayName: 'Database',
    combobox: true,
    attributes: { required: true },
  }),
  api_endpoint: field.string({ displayName: 'Astra DB API Endpoint', advanced: true }),
  keyspace: field.dropdown({ displayName: 'Keyspace', advanced: true }),
  collection_name: field.dropdown({ displayName: 'Collection', combobox: true }),
  autodetect_collection: field.bool({
    displayName: 'Autodetect Collection',
    default: true,
    advanced: true,
  }),
  ingest_data: field.handle({
    displayName: 'Ingest Data',
    types: ['Data', 'DataFrame'],
    list: true,
  }),
  search_query: field.query({ displayName: 'Search Query', toolMode: true }),
  should_cache_vector_store: field.bool({
    displayName: 'Cache Vector Store',
    default: true,
    advanced: true,
  }),
  embedding_model: field.picker({ displayName: 'Embedding Model', modelType: 'embedding' }),
  api_key: field.key({ displayName: 'API Key', advanced: true }),
  content_field: field.string({ displayName: 'Content Field', advanced: true }),
  deletion_field: field.string({ displayName: 'Deletion Based On Field', advanced: true }),
  ignore_invalid_documents: field.bool({
    displayName: 'Ignore Invalid Documents',
    default: false,
    advanced: true,
  }),
  astradb_vectorstore_kwargs: field.nestedDict({
    displayName: 'AstraDBVectorStore Parameters',
    advanced: true,
  }),
  search_method: field.dropdown({
    displayName: 'Search Method',
    default: 'Vector Search',
    options: ['Hybrid Search', 'Vector Search'],
    advanced: true,
  }),
  reranker: field.dropdown({ displayName: 'Reranker', show: false }),
  lexical_terms: field.query({ displayName: 'Lexical Terms', show: false }),
  number_of_results: field.int({
    displayName: 'Number of Search Results',
    default: 4,
    advanced: true,
  }),
  search_type: field.dropdown({
    displayName: 'Search Type',
    default: 'Similarity',
    options: ['Similarity', 'Similarity with score threshold', 'MMR (Max Marginal Relevance)'],
    advanced: true,
  }),
  search_score_threshold: field.float({
    displayName: 'Search Score Threshold',
    default: 0,
    advanced: true,
  }),
  advanced_search_filter: field.nestedDict({
    displayName: 'Search Metadata Filter',
    advanced: true,
  }),
}

type AstraInputs = Values<typeof fields>

/** Stores texts in an Astra DB collection through the Data API and searches them. */
export const astraDb = defineComponent({
  type: 'AstraDB',
  displayName: 'Astra DB',
  description: 'Stores texts in an Astra DB collection and searches them.',
  icon: 'AstraDB',
  category: 'datastax',
  module: 'lfx.components.datastax.astradb_vectorstore.AstraDBVectorStoreComponent',
  idempotent: false,
  inputs: fields,
  outputs: {
    ...searchOutputs<typeof fields>((inputs, ctx) => search(inputs, ctx)),
    vectorstoreconnection: output.any({
      displayName: 'Vector Store Connection',
      method: 'as_vector_store',
      types: ['VectorStore'],
      run: (inputs, ctx) => opened(inputs, ctx),
    }),
  },
})

interface OpenedCollection {
  readonly collection: AstraCollection
  readonly embedder: Embedder | null
}

/** Ingests once per build, whichever outputs are connected. */
const opened = oncePerBuild(
  async (inputs: AstraInputs, ctx: ComponentContext): Promise<OpenedCollection> => {
    const documents = readDocuments(inputs.ingest_data)
    const access = await accessOf(inputs, ctx)
    if (inputs.collection_name.trim() === '') {
      throw new TypeError('Select a collection of the Astra DB database.')
    }
    const collection = await describeCollection(
      access,
      inputs.collection_name.trim(),
      { contentField: inputs.content_field.trim(), autodetect: inputs.autodetect_collection },
      ctx,
    )
    const embedder = await embedderOf(inputs, collection, ctx)
    const options = { embedder, deletionField: inputs.deletion_field.trim() }
    await ingestDocuments(collection, documents, options, ctx)
    return { collection, embedder }
  },
)

const search = oncePerBuild(async (inputs: AstraInputs, ctx: ComponentContext): Promise<Data[]> => {
  const { collection, embedder } = await opened(inputs, ctx)
  const text = inputs.search_query.trim()
  const hasFilter = Object.keys(inputs.advanced_search_filter).length > 0
  if (text === '' && !hasFilter) return []
  const found = await searchAstra(
    collection,
    {
      text,
      vector:
        collection.vectorizes || text === ''
          ? undefined
          : await embedText(text, embedder, ctx.signal),
      filter: hasFilter ? inputs.advanced_search_filter : undefined,
      limit: inputs.number_of_results,
      hybrid: inputs.search_method === 'Hybrid Search',
      lexical: inputs.lexical_terms.trim(),
      type: inputs.search_type,
      threshold: inputs.search_score_threshold,
    },
    ctx,
  )
  ctx.status(found)
  return found
})

async function accessOf(inputs: AstraInputs, ctx: ComponentContext): Promise<AstraAccess> {
  const token = inputs.token.trim()
  if (token === '') throw new TypeError('Astra DB needs an application token.')
  const given = inputs.api_endpoint.trim()
  const name = inputs.database_name.trim()
  if (given === '' && name === '') throw new TypeError('Select an Astra DB database.')
  return {
    token,
    endpoint: given === '' ? await astraEndpoint(name, token, ctx) : given,
    keyspace: inputs.keyspace.trim() || 'default_keyspace',
  }
}

async function embedderOf(
  { embedding_model: picked, api_key: apiKey }: AstraInputs,
  { vectorizes }: AstraCollection,
  ctx: ComponentContext,
): Promise<Embedder | null> {
  if (!vectorizes) {
    const nothingChosen = 'Astra DB needs an embedding model.'
    return chosenEmbedder({ picked, apiKey, nothingChosen }, ctx)
  }
  if (picked !== null) {
    throw new TypeError('This collection embeds texts itself; remove the embedding model.')
  }
  return null
}
