import { finishCooperatively } from '@x/wire'
import type { Data } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import type { VectorStore } from '@x/flow-engine'
import {
  embedDocuments,
  embedText,
  readDocuments,
  rowData,
  type Document,
} from '../vectors/ingest.ts'
import { variedRows } from '../vectors/nearest.ts'
import { oncePerBuild } from '@x/flow-engine/internal'
import { documentsIn, nearestIn, openVectorStore, requireRoom } from '../vectors/open-store.ts'
import { searchOutputs } from '../vectors/search-outputs.ts'

const advanced = { advanced: true } as const

/** Number of candidate rows for diverse results, and the weight of distance against diversity. */
const DIVERSITY = { among: 20, balance: 0.5 }

const fields = {
  collection_name: field.string({ displayName: 'Collection Name', default: 'langflow' }),
  persist_directory: field.string({
    displayName: 'Persist Directory',
    info: 'Part of the stored name of the collection.',
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
    ...advanced,
  }),
  embedding: field.embeddings({ displayName: 'Embedding' }),
  chroma_server_cors_allow_origins: field.string({
    displayName: 'Server CORS Allow Origins',
    ...advanced,
  }),
  chroma_server_host: field.string({
    displayName: 'Server Host',
    info: 'Must be empty, because this service stores collections itself.',
    ...advanced,
  }),
  chroma_server_http_port: field.int({ displayName: 'Server HTTP Port', ...advanced }),
  chroma_server_grpc_port: field.int({ displayName: 'Server gRPC Port', ...advanced }),
  chroma_server_ssl_enabled: field.bool({
    displayName: 'Server SSL Enabled',
    default: false,
    ...advanced,
  }),
  allow_duplicates: field.bool({
    displayName: 'Allow Duplicates',
    info: 'Store rows that the collection already contains.',
    default: false,
    ...advanced,
  }),
  search_type: field.dropdown({
    displayName: 'Search Type',
    options: ['Similarity', 'MMR'],
    default: 'Similarity',
    ...advanced,
  }),
  number_of_results: field.int({
    displayName: 'Number of Results',
    default: 10,
    ...advanced,
  }),
  limit: field.int({
    displayName: 'Limit',
    info: 'Number of stored rows to compare new rows with; all if empty.',
    ...advanced,
  }),
}

type SearchInputs = Values<typeof fields>

/** Stores texts with their vectors in a collection and searches it. */
export const chroma = defineComponent({
  type: 'Chroma',
  displayName: 'Chroma DB',
  description: 'Stores texts in a collection and searches them by meaning.',
  icon: 'Chroma',
  category: 'chroma',
  module: 'lfx.components.chroma.chroma.ChromaVectorStoreComponent',
  idempotent: false,
  inputs: fields,
  outputs: searchOutputs<typeof fields>((inputs, ctx) => results(inputs, ctx), { hasStatus: true }),
})

const results = oncePerBuild(async (inputs: SearchInputs, ctx): Promise<Data[]> => {
  if (inputs.chroma_server_host !== '') {
    throw new TypeError('A Chroma server is not supported: leave Server Host empty')
  }
  const { embedding, search_query: query, number_of_results: count } = inputs
  const store = await fillCollection(inputs, embedding, ctx)
  if (query.trim() === '') return []
  const vector = await embedText(query, embedding, ctx.signal)
  const { signal } = ctx
  if (inputs.search_type !== 'MMR') {
    return (await nearestIn(store, vector, { count, signal })).map(({ row }) => rowData(row))
  }
  const nearest = await nearestIn(store, vector, {
    count: Math.max(DIVERSITY.among, count),
    signal,
  })
  const rows = nearest.map(({ row }) => row)
  const varied = await finishCooperatively(variedRows(rows, vector, { count, ...DIVERSITY }))
  return varied.map(rowData)
})

async function fillCollection(
  inputs: SearchInputs,
  embedding: Embedder | null,
  ctx: ComponentContext,
): Promise<VectorStore> {
  const name = ['chroma', inputs.persist_directory, inputs.collection_name].join('/')
  const store = await openVectorStore(name, ctx)
  const stored = inputs.allow_duplicates ? new Set() : await identities(store, inputs.limit)
  const documents = readDocuments(inputs.ingest_data)
    .map(withScalarsOnly)
    .filter((document) => !stored.has(identity(document)))
  await requireRoom(store, documents.length)
  const added = await embedDocuments(documents, embedding, ctx)
  if (added.length > 0) await store.add(added)
  return store
}

/** Returns the identities of the first `limit` rows, or of all rows. */
async function identities(store: VectorStore, limit: number | null): Promise<Set<unknown>> {
  const known = new Set<unknown>()
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const part of documentsIn(store)) {
    const compared = part.slice(0, Math.max(0, left))
    for (const row of compared) known.add(identity(row))
    left -= compared.length
    if (left <= 0) break
  }
  return known
}

/** A collection stores only strings, numbers and booleans as metadata. */
function withScalarsOnly({ text, metadata }: Document): Document {
  const scalars = Object.entries(metadata).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return { text, metadata: Object.fromEntries(scalars) }
}

function identity({ text, metadata }: Document): string {
  const sorted = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
  return toLiteralText([text, sorted])
}
