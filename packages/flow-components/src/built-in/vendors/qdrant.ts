import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { defineVectorStore, type RemoteCollection } from '../vectors/define-vector-store.ts'
import { documentId } from '../vectors/document-id.ts'
import { createRepeatBudget } from '../vectors/repeat-budget.ts'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const DISTANCES = new Map([
  ['Cosine', 'Cosine'],
  ['Euclidean', 'Euclid'],
  ['Dot Product', 'Dot'],
])

const fields = {
  collection_name: field.string({ displayName: 'Collection Name', required: true }),
  host: field.string({ displayName: 'Host', default: 'localhost', advanced: true }),
  port: field.int({ displayName: 'Port', default: 6333, advanced: true }),
  grpc_port: field.int({
    displayName: 'gRPC Port',
    info: 'Has no effect: the server is accessed over HTTP.',
    default: 6334,
    advanced: true,
  }),
  api_key: field.secret({ displayName: 'Qdrant API Key', advanced: true }),
  prefix: field.string({
    displayName: 'Prefix',
    info: "Path prefix of the server's API.",
    advanced: true,
  }),
  timeout: field.int({ displayName: 'Timeout', info: 'Timeout in seconds.', advanced: true }),
  path: field.string({
    displayName: 'Path',
    info: 'Must be empty, because local files are not supported.',
    advanced: true,
  }),
  url: field.string({ displayName: 'URL', info: 'Overrides host and port.', advanced: true }),
  distance_func: field.dropdown({
    displayName: 'Distance Function',
    options: [...DISTANCES.keys()],
    default: 'Cosine',
    advanced: true,
  }),
  content_payload_key: field.string({
    displayName: 'Content Payload Key',
    default: 'page_content',
    advanced: true,
  }),
  metadata_payload_key: field.string({
    displayName: 'Metadata Payload Key',
    default: 'metadata',
    advanced: true,
  }),
}

type QdrantInputs = Values<typeof fields>

/** A collection on a Qdrant server, accessed through its HTTP API. */
export const qdrantVectorStore = defineVectorStore({
  type: 'QdrantVectorStoreComponent',
  displayName: 'Qdrant',
  description: 'Stores texts in a Qdrant collection and searches them by meaning.',
  icon: 'Qdrant',
  category: 'qdrant',
  module: 'lfx.components.qdrant.qdrant.QdrantVectorStoreComponent',
  inputs: fields,
  open: (inputs, ctx) => openCollection(inputs, ctx),
})

/** @throws TypeError for a path, because local files are not supported */
function openCollection(inputs: QdrantInputs, ctx: ComponentContext): RemoteCollection {
  if (inputs.path !== '') {
    throw new TypeError('Local Qdrant files are not supported; use a server.')
  }
  const { content_payload_key: content, metadata_payload_key: metadata } = inputs
  const repeat = createRepeatBudget('Content and Metadata Payload Key', [content, metadata])
  const base = `${baseOf(inputs)}/collections/${encodeURIComponent(inputs.collection_name)}`
  const key = inputs.api_key ?? ''
  const ask = async (path: string, method: string, body?: object) => {
    const answer = await vendorRequest(
      {
        url: `${base}${path}`,
        method,
        headers: key === '' ? {} : { 'api-key': key },
        ...(body === undefined ? {} : { body }),
        ...(inputs.timeout ? { timeoutMs: inputs.timeout * 1000 } : {}),
        secrets: [key],
      },
      ctx,
    )
    const read = requireSuccess('Qdrant', answer).body
    return isObject(read) ? read.result : undefined
  }
  const requireCollection = async (size: number): Promise<void> => {
    const found = await ask('/exists', 'GET')
    if (isObject(found) && found.exists === true) return
    const distance = DISTANCES.get(inputs.distance_func) ?? 'Cosine'
    await ask('', 'PUT', { vectors: { size, distance } })
  }
  let opened = false
  return {
    async add(documents) {
      if (!opened) await requireCollection(documents[0]?.vector.length ?? 0)
      opened = true
      repeat(documents.length)
      const points = documents.map((document) => ({
        id: documentId(document),
        vector: document.vector,
        payload: {
          [content]: document.text,
          [metadata]: document.metadata,
        },
      }))
      await ask('/points?wait=true', 'PUT', { points })
    },
    async search({ vector, limit }) {
      const found = await ask('/points/search', 'POST', { vector, limit, with_payload: true })
      return recordsIn(found).map(({ payload }) => {
        const values = isObject(payload) ? payload : {}
        return {
          text: textIn(values[content]),
          metadata: values[metadata],
        }
      })
    },
  }
}

function baseOf({ url, host, port, prefix }: QdrantInputs): string {
  const root = url.trim() === '' ? `http://${host}:${port}` : url.trim()
  const path = trimSlashes(prefix.replace(/^\/+/, ''))
  return `${trimSlashes(root)}${path === '' ? '' : `/${path}`}`
}
