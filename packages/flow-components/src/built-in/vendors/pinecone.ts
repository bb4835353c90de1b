import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { defineVectorStore, type RemoteCollection } from '../vectors/define-vector-store.ts'
import { documentId } from '../vectors/document-id.ts'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const API = 'https://api.pinecone.io/indexes'
const API_VERSION = '2025-04'

const fields = {
  index_name: field.string({ displayName: 'Index Name', required: true }),
  namespace: field.string({ displayName: 'Namespace' }),
  distance_strategy: field.dropdown({
    displayName: 'Distance Strategy',
    info: 'Has no effect: determined by the index.',
    options: ['Cosine', 'Euclidean', 'Dot Product'],
    default: 'Cosine',
    advanced: true,
  }),
  pinecone_api_key: field.secret({ displayName: 'Pinecone API Key', required: true }),
  text_key: field.string({ displayName: 'Text Key', default: 'text', advanced: true }),
}

type PineconeInputs = Values<typeof fields>

/** A Pinecone index, accessed through its HTTP API. */
export const pinecone = defineVectorStore({
  type: 'Pinecone',
  displayName: 'Pinecone',
  description: 'Stores texts in a Pinecone index and searches them by meaning.',
  icon: 'Pinecone',
  category: 'pinecone',
  module: 'lfx.components.pinecone.pinecone.PineconeVectorStoreComponent',
  inputs: fields,
  open: (inputs, ctx) => openIndex(inputs, ctx),
})

function openIndex(inputs: PineconeInputs, ctx: ComponentContext): RemoteCollection {
  const key = inputs.pinecone_api_key ?? ''
  if (key === '') throw new TypeError('Pinecone API key is required')
  const { namespace, text_key: textKey } = inputs
  const ask = (url: string, body?: object) =>
    vendorRequest(
      {
        url,
        headers: { 'api-key': key, 'x-pinecone-api-version': API_VERSION },
        ...(body === undefined ? {} : { body }),
        secrets: [key],
      },
      ctx,
    )
  const describe = async (): Promise<string> => {
    const answer = await ask(`${API}/${encodeURIComponent(inputs.index_name)}`)
    if (answer.status === 404)
      throw new TypeError(`Pinecone index '${inputs.index_name}' not found.`)
    const { body } = requireSuccess('Pinecone', answer)
    const host = isObject(body) ? textIn(body.host) : ''
    if (!/^[\w.-]+$/.test(host)) throw new TypeError('The response of Pinecone has no index host')
    return `https://${host}`
  }
  let host: Promise<string> | undefined
  const send = async (path: string, body: object): Promise<unknown> => {
    host ??= describe()
    return requireSuccess('Pinecone', await ask(`${await host}${path}`, body)).body
  }
  return {
    async add(documents) {
      const vectors = documents.map((document) => ({
        id: documentId(document),
        values: document.vector,
        metadata: { ...scalars(document.metadata), [textKey]: document.text },
      }))
      await send('/vectors/upsert', { vectors, namespace })
    },
    async search({ vector, limit }) {
      const query = { vector, topK: limit, includeMetadata: true, namespace }
      const body = await send('/query', query)
      const matches = recordsIn(isObject(body) ? body.matches : undefined)
      return matches.flatMap(({ metadata }) => {
        if (!isObject(metadata) || !Object.hasOwn(metadata, textKey)) return []
        const { [textKey]: text, ...rest } = metadata
        return [{ text: textIn(text), metadata: rest }]
      })
    },
  }
}

/** The index accepts scalars; objects and lists become JSON. */
function scalars(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) => {
      if (value === null || value === undefined) return []
      return [[name, typeof value === 'object' ? JSON.stringify(value) : value]]
    }),
  )
}
