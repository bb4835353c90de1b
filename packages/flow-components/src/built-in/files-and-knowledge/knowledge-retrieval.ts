import { createDataFrame, type DataFrame, type ProviderKey } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { embedText } from '../vectors/ingest.ts'
import { nearestIn } from '../vectors/open-store.ts'
import { knowledgeEmbedder, offerBases, openKnowledgeBase } from './knowledge-model.ts'

/** Searches a knowledge base for the rows nearest to a query. */
export const knowledgeRetrieval = defineComponent({
  type: 'KnowledgeRetrieval',
  displayName: 'Knowledge Retrieval',
  description: 'Searches a knowledge base.',
  icon: 'download',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.retrieval.KnowledgeRetrievalComponent',
  inputs: {
    knowledge_base: field.dropdown({
      displayName: 'Knowledge',
      required: true,
      refresh: true,
      attributes: { refresh_button: true },
    }),
    api_key: field.key({
      displayName: 'Embedding Provider API Key',
      info: 'Overrides the key stored with the knowledge base.',
      advanced: true,
    }),
    search_query: field.text({ displayName: 'Search Query', toolMode: true }),
    top_k: field.int({ displayName: 'Top K Results', default: 5, advanced: true }),
    include_metadata: field.bool({ displayName: 'Include Metadata', default: true }),
    include_embeddings: field.bool({
      displayName: 'Include Embeddings',
      default: false,
      advanced: true,
    }),
  },
  outputs: {
    retrieve_data: output.dataFrame({
      displayName: 'Results',
      method: 'retrieve_data',
      run: (inputs, ctx) => retrieve(inputs, ctx),
    }),
  },
  async refresh(template, name, _value, ctx) {
    if (name === 'knowledge_base') await offerBases(template.knowledge_base, ctx)
  },
})

export interface RetrieveInputs {
  readonly knowledge_base: string
  readonly api_key: ProviderKey
  readonly search_query: string
  readonly top_k: number
  readonly include_metadata: boolean
  readonly include_embeddings: boolean
  /** Skips rows whose metadata is rejected. */
  readonly accepts?: ((metadata: Readonly<Record<string, unknown>>) => boolean) | undefined
}

/** Without a query, rows are ordered by distance to the empty text and have no score. */
export async function retrieve(inputs: RetrieveInputs, ctx: ComponentContext): Promise<DataFrame> {
  const { search_query: query } = inputs
  const base = await openKnowledgeBase(inputs.knowledge_base, ctx)
  const embedder = await knowledgeEmbedder(base, { apiKey: inputs.api_key }, ctx)
  const vector = await embedText(query, embedder, ctx.signal)
  const { accepts } = inputs
  const found = await nearestIn(base.store, vector, {
    count: inputs.top_k,
    signal: ctx.signal,
    ...(accepts === undefined ? {} : { accepts }),
  })
  const rows = found.map(({ row, distance }) => ({
    content: row.text,
    ...(query === '' ? {} : { _score: -distance }),
    ...(inputs.include_metadata ? row.metadata : {}),
    ...(inputs.include_embeddings ? { _embeddings: [...row.vector] } : {}),
  }))
  return createDataFrame(rows)
}
