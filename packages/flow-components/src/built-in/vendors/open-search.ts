import { trimSlashes } from '@x/wire'
import { parseJson } from '@x/wire'
import { createWorkBudget } from '@x/wire'
import { encodeBase64, eventLoopTurn, isObject } from '@x/wire'
import { type ComponentContext, errorText } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { defineVectorStore, type RemoteCollection } from '../vectors/define-vector-store.ts'
import { documentId } from '../vectors/document-id.ts'
import { createRepeatBudget } from '../vectors/repeat-budget.ts'
import {
  recordsIn,
  requireSuccess,
  shortMessage,
  textIn,
  vendorRequest,
  type VendorAnswer,
} from './vendor-request.ts'

const TEXT = 'text'
/** Weights of semantic and keyword search in a hybrid search. */
const WEIGHTS = { meaning: 0.7, words: 0.3 }

const fields = {
  docs_metadata: field.table({
    displayName: 'Document Metadata',
    info: 'Metadata added to each document.',
    columns: [
      { name: 'key', display_name: 'Key', type: 'str', description: 'Name of the value.' },
      { name: 'value', display_name: 'Value', type: 'str', description: 'The value.' },
    ],
  }),
  opensearch_url: field.string({
    displayName: 'OpenSearch URL',
    default: 'http://localhost:9200',
  }),
  index_name: field.string({ displayName: 'Index Name', default: 'langflow' }),
  engine: field.dropdown({
    displayName: 'Vector Engine',
    options: ['nmslib', 'faiss', 'lucene', 'jvector'],
    default: 'jvector',
    advanced: true,
  }),
  space_type: field.dropdown({
    displayName: 'Distance Metric',
    options: ['l2', 'l1', 'cosinesimil', 'linf', 'innerproduct'],
    default: 'l2',
    advanced: true,
  }),
  ef_construction: field.int({ displayName: 'EF Construction', default: 512, advanced: true }),
  m: field.int({ displayName: 'M Parameter', default: 16, advanced: true }),
  vector_field: field.string({
    displayName: 'Vector Field Name',
    default: 'chunk_embedding',
    advanced: true,
  }),
  hybrid: field.bool({
    displayName: 'Hybrid Search',
    info: 'Search by keywords as well as by meaning.',
    default: false,
    advanced: true,
  }),
  filter_expression: field.multiline({
    displayName: 'Search Filters (JSON)',
    info: 'A query clause or a list of clauses, for example {"term": {"source": "manual"}}.',
  }),
  auth_mode: field.dropdown({
    closed: true,
    displayName: 'Authentication Mode',
    options: ['basic', 'jwt'],
    default: 'basic',
    refresh: true,
  }),
  username: field.string({ displayName: 'Username', default: 'admin' }),
  password: field.secret({ displayName: 'OpenSearch Password' }),
  jwt_token: field.secret({ displayName: 'JWT Token', show: false }),
  jwt_header: field.string({
    displayName: 'JWT Header Name',
    default: 'Authorization',
    advanced: true,
    show: false,
  }),
  bearer_prefix: field.bool({
    displayName: "Prefix 'Bearer '",
    default: true,
    advanced: true,
    show: false,
  }),
  use_ssl: field.bool({
    displayName: 'Use SSL/TLS',
    info: 'Has no effect: determined by the URL.',
    default: true,
    advanced: true,
  }),
  verify_certs: field.bool({
    displayName: 'Verify SSL Certificates',
    info: 'Has no effect: certificates are always verified.',
    default: false,
    advanced: true,
  }),
  request_timeout: field.int({
    displayName: 'Request Timeout (seconds)',
    default: 60,
    advanced: true,
  }),
}

type OpenSearchInputs = Values<typeof fields>

/** A vector index on an OpenSearch server. */
export const openSearchVectorStore = defineVectorStore({
  type: 'OpenSearchVectorStoreComponent',
  displayName: 'OpenSearch',
  description: 'Stores texts in an OpenSearch index and searches them by meaning.',
  icon: 'OpenSearch',
  category: 'elastic',
  module: 'lfx.components.elastic.opensearch.OpenSearchVectorStoreComponent',
  inputs: fields,
  open: (inputs, ctx) => openIndex(inputs, ctx),
  refresh(template, name, value) {
    if (name !== 'auth_mode') return
    for (const [each, mode] of AUTH_FIELDS) {
      if (template[each] !== undefined) template[each].show = mode === value
    }
  },
})

/** Characters of a request that are written between two turns of the event loop. */
const CHARACTERS = 1_000_000

const AUTH_FIELDS = [
  ['username', 'basic'],
  ['password', 'basic'],
  ['jwt_token', 'jwt'],
  ['jwt_header', 'jwt'],
  ['bearer_prefix', 'jwt'],
] as const

function openIndex(inputs: OpenSearchInputs, ctx: ComponentContext): RemoteCollection {
  const base = trimSlashes(inputs.opensearch_url.trim())
  const index = `/${encodeURIComponent(inputs.index_name)}`
  const filters = readFilters(inputs.filter_expression)
  const more = ownMetadata(inputs.docs_metadata)
  const { index_name: name, vector_field: vectorField } = inputs
  const names = 'Index Name, Vector Field Name and Document Metadata'
  const repeat = createRepeatBudget(names, [name, vectorField, more])
  const ask = (path: string, method: string, body?: unknown): Promise<VendorAnswer> =>
    vendorRequest(
      {
        url: `${base}${path}`,
        method,
        headers: {
          ...authorization(inputs),
          ...(typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}),
        },
        ...(body === undefined ? {} : { body }),
        ...(inputs.request_timeout > 0 ? { timeoutMs: inputs.request_timeout * 1000 } : {}),
        secrets: [inputs.password, inputs.jwt_token],
      },
      ctx,
    )
  const requireIndex = async (dimension: number): Promise<void> => {
    const found = await ask(index, 'HEAD')
    if (found.status !== 404) return void requireSuccess('OpenSearch', found)
    requireSuccess('OpenSearch', await ask(index, 'PUT', mapping(inputs, dimension)))
  }
  let opened = false
  const step = createWorkBudget(CHARACTERS)
  return {
    async add(documents) {
      if (!opened) await requireIndex(documents[0]?.vector.length ?? 0)
      opened = true
      repeat(documents.length)
      let body = ''
      for (const { text, metadata, vector } of documents) {
        const action = { index: { _index: inputs.index_name, _id: documentId({ text, metadata }) } }
        const source = { ...metadata, ...more, [TEXT]: text, [inputs.vector_field]: vector }
        const lines = `${JSON.stringify(action)}\n${JSON.stringify(source)}\n`
        body += lines
        if (step(lines.length)) await eventLoopTurn()
      }
      const answer = requireSuccess(
        'OpenSearch',
        // The refresh makes the documents visible to the following search.
        await ask('/_bulk?refresh=true', 'POST', body),
      )
      checkBulk(answer.body)
    },
    async search({ vector, text, limit }) {
      const query = searchQuery(inputs, filters, { vector, text, limit })
      const body = { size: limit, query, _source: { excludes: [inputs.vector_field] } }
      const answer = requireSuccess('OpenSearch', await ask(`${index}/_search`, 'POST', body)).body
      const hits = isObject(answer) && isObject(answer.hits) ? answer.hits.hits : []
      return recordsIn(hits).map(({ _source: source }) => {
        const { [TEXT]: content, ...metadata } = isObject(source) ? source : {}
        return { text: textIn(content), metadata }
      })
    },
  }
}

function authorization(inputs: OpenSearchInputs): Record<string, string> {
  if (inputs.auth_mode === 'jwt') {
    const token = inputs.jwt_token ?? ''
    if (token === '') throw new TypeError('OpenSearch needs a JWT token.')
    return { [inputs.jwt_header]: inputs.bearer_prefix ? `Bearer ${token}` : token }
  }
  const password = inputs.password ?? ''
  if (inputs.username === '' && password === '') return {}
  const bytes = new TextEncoder().encode(`${inputs.username}:${password}`)
  return { authorization: `Basic ${encodeBase64(bytes)}` }
}

function mapping(inputs: OpenSearchInputs, dimension: number): object {
  const { engine, space_type, ef_construction, m, vector_field } = inputs
  const method = {
    name: engine === 'jvector' ? 'disk_ann' : 'hnsw',
    engine,
    space_type,
    parameters: { ef_construction, m },
  }
  return {
    settings: { index: { knn: true } },
    mappings: { properties: { [vector_field]: { type: 'knn_vector', dimension, method } } },
  }
}

interface Query {
  readonly vector: readonly number[]
  readonly text: string
  readonly limit: number
}

function searchQuery(
  { hybrid, vector_field }: OpenSearchInputs,
  filter: readonly object[],
  { vector, text, limit }: Query,
): object {
  const nearest = (boost: object) => ({
    knn: { [vector_field]: { vector, k: limit, ...boost } },
  })
  const filtered = filter.length === 0 ? {} : { filter }
  if (!hybrid)
    return filter.length === 0 ? nearest({}) : { bool: { must: [nearest({})], ...filtered } }
  const words = { match: { [TEXT]: { query: text, boost: WEIGHTS.words } } }
  const should = [nearest({ boost: WEIGHTS.meaning }), words]
  return { bool: { should, minimum_should_match: 1, ...filtered } }
}

/** @throws TypeError for text that is neither a clause nor a list of clauses */
function readFilters(text: string): object[] {
  if (text.trim() === '') return []
  try {
    const value: unknown = parseJson(text)
    const inner = isObject(value) && Array.isArray(value.filter) ? value.filter : value
    const clauses: unknown[] = Array.isArray(inner) ? inner : [inner]
    if (clauses.every(isObject)) return clauses
  } catch (error) {
    throw new TypeError(`Search Filters (JSON) is not JSON: ${errorText(error)}`, { cause: error })
  }
  throw new TypeError('Search Filters (JSON) must be a query clause or a list of clauses')
}

function ownMetadata(rows: OpenSearchInputs['docs_metadata']): Record<string, unknown> {
  return Object.fromEntries(
    rows.flatMap(({ key, value }) => (typeof key === 'string' && key !== '' ? [[key, value]] : [])),
  )
}

/** @throws TypeError if a document was rejected */
function checkBulk(body: unknown): void {
  if (!isObject(body) || body.errors !== true) return
  for (const item of recordsIn(body.items)) {
    const { error } = isObject(item.index) ? item.index : {}
    if (isObject(error)) throw new TypeError(`OpenSearch: ${shortMessage(textIn(error.reason))}`)
  }
  throw new TypeError('OpenSearch: a document was rejected')
}
