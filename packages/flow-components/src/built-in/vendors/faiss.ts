import type { Data } from '@x/flow-engine'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import type { VectorStore } from '@x/flow-engine'
import { embedDocuments, embedText, readDocuments, rowData } from '../vectors/ingest.ts'
import { oncePerBuild } from '@x/flow-engine/internal'
import { documentsIn, nearestIn, openVectorStore, requireRoom } from '../vectors/open-store.ts'
import { searchOutputs } from '../vectors/search-outputs.ts'

const fields = {
  index_name: field.string({ displayName: 'Index Name', default: 'langflow_index' }),
  persist_directory: field.string({
    displayName: 'Persist Directory',
    info: 'Part of the stored name of the index.',
  }),
  ingest_data: field.handle({
    displayName: 'Ingest Data',
    types: ['Data', 'DataFrame'],
    list: true,
  }),
  search_query: field.query({
    displayName: 'Search Query',
    placeholder: 'Enter a query...',
    toolMode: true,
  }),
  should_cache_vector_store: field.bool({
    displayName: 'Cache Vector Store',
    default: true,
    advanced: true,
  }),
  allow_dangerous_deserialization: field.bool({
    displayName: 'Allow Dangerous Deserialization',
    info: 'Has no effect: an index contains only numbers and texts.',
    default: true,
    advanced: true,
  }),
  embedding: field.embeddings({ displayName: 'Embedding' }),
  number_of_results: field.int({
    displayName: 'Number of Results',
    default: 4,
    advanced: true,
  }),
}

type SearchInputs = Values<typeof fields>

/**
 * Finds the texts nearest to a query. The index is filled once: an existing index is searched without
 * adding anything.
 */
export const faiss = defineComponent({
  type: 'FAISS',
  displayName: 'FAISS',
  description: 'Searches texts by meaning in a vector index.',
  icon: 'FAISS',
  category: 'FAISS',
  module: 'lfx.components.FAISS.faiss.FaissVectorStoreComponent',
  inputs: fields,
  outputs: searchOutputs<typeof fields>((inputs, ctx) => results(inputs, ctx), { hasStatus: true }),
})

const results = oncePerBuild(async (inputs: SearchInputs, ctx): Promise<Data[]> => {
  const { embedding, search_query: query } = inputs
  const store = await openIndex(inputs, embedding, ctx)
  if (query.trim() === '') return []
  const vector = await embedText(query, embedding, ctx.signal)
  const options = { count: inputs.number_of_results, signal: ctx.signal }
  return (await nearestIn(store, vector, options)).map(({ row }) => rowData(row))
})

async function openIndex(
  inputs: SearchInputs,
  embedding: Embedder | null,
  ctx: ComponentContext,
): Promise<VectorStore> {
  const name = ['faiss', inputs.persist_directory, inputs.index_name].join('/')
  const store = await openVectorStore(name, ctx)
  if (await hasRows(store)) return store
  const documents = readDocuments(inputs.ingest_data)
  await requireRoom(store, documents.length)
  const rows = await embedDocuments(documents, embedding, ctx)
  if (rows.length > 0) await store.add(rows)
  return store
}

async function hasRows(store: VectorStore): Promise<boolean> {
  for await (const part of documentsIn(store)) if (part.length > 0) return true
  return false
}
