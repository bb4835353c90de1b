import { isObject } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import type { Component, ComponentMetadata } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Fields, type Values } from '@x/flow-engine'
import { embedText, readDocuments, type Document } from './ingest.ts'
import { oncePerBuild } from '@x/flow-engine/internal'
import { searchOutputs } from './search-outputs.ts'

/** Maximum number of documents in one request. */
const BATCH = 100

/** A collection on a server. */
export interface RemoteCollection {
  /** Adds documents, replacing those with the same text and metadata. */
  add(documents: readonly EmbeddedDocument[]): Promise<void>
  /** Returns the nearest documents, best first. */
  search(query: VectorQuery): Promise<FoundDocument[]>
}

export interface EmbeddedDocument extends Document {
  /** Empty if the server embeds the text. */
  readonly vector: readonly number[]
}

export interface VectorQuery {
  readonly vector: readonly number[]
  readonly text: string
  readonly limit: number
}

export interface FoundDocument {
  readonly text: string
  readonly metadata: unknown
}

const shared = {
  ingest_data: field.handle({
    displayName: 'Ingest Data',
    types: ['Data', 'DataFrame'],
    list: true,
  }),
  search_query: field.query({ displayName: 'Search Query', toolMode: true }),
  should_cache_vector_store: field.bool({
    displayName: 'Cache Vector Store',
    info: 'Has no effect: a build opens its collection once.',
    default: true,
    advanced: true,
  }),
  embedding: field.embeddings({ displayName: 'Embedding' }),
  number_of_results: field.int({ displayName: 'Number of Results', default: 4, advanced: true }),
}

interface VectorStoreDefinition<I extends Fields> extends ComponentMetadata {
  readonly displayName: string
  /** The inputs that precede those common to all vector stores. */
  readonly inputs: I
  /** True if the server embeds texts, so that no embedding model is needed. Default: it does not. */
  readonly embedsItself?: (inputs: Values<I>) => boolean
  /** Returns the collection for the inputs; sends no request before it is used. */
  readonly open: (inputs: Values<I>, ctx: ComponentContext) => RemoteCollection
}

/**
 * Defines the component of a vector store on a server. It ingests once per build, whichever outputs are
 * connected, then searches if there is a query.
 */
export function defineVectorStore<I extends Fields>(
  definition: VectorStoreDefinition<I>,
): Component {
  const { open, embedsItself = () => false, inputs: own, ...facts } = definition
  type Inputs = Values<I & typeof shared>
  const search = oncePerBuild(async (given: Inputs, ctx: ComponentContext): Promise<Data[]> => {
    const { embedding, ...inputs }: Values<typeof shared> = given
    const documents = readDocuments(inputs.ingest_data)
    const text = inputs.search_query.trim()
    if (documents.length === 0 && text === '') return []
    if (embedding === null && !embedsItself(given))
      throw new TypeError(`${facts.displayName} needs an embedding model.`)
    const collection = open(given, ctx)
    for (let at = 0; at < documents.length; at += BATCH) {
      const part = documents.slice(at, at + BATCH)
      const texts = part.map((document) => document.text)
      const vectors = embedding === null ? [] : await embedding.embed(texts, ctx.signal)
      await collection.add(
        part.map((document, nth) => ({ ...document, vector: vectors[nth] ?? [] })),
      )
    }
    if (text === '') return []
    const vector = embedding === null ? [] : await embedText(text, embedding, ctx.signal)
    const found = await collection.search({ vector, text, limit: inputs.number_of_results })
    const rows = found.map(({ text: content, metadata }) =>
      createData({ ...(isObject(metadata) ? metadata : {}), text: content }),
    )
    ctx.status(rows)
    return rows
  })
  return defineComponent({
    idempotent: false,
    ...facts,
    inputs: { ...own, ...shared },
    outputs: searchOutputs<I & typeof shared>(search),
  })
}
