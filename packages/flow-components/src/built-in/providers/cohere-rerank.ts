import { isObject } from '@x/wire'
import { dataText } from '@x/flow-engine/internal'
import { createData, type Data } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from '../processing/data-rows.ts'
import { recordsIn, requireSuccess, vendorRequest } from '../vendors/vendor-request.ts'
import { requireKey } from './read-vectors.ts'

const URL = 'https://api.cohere.com/v2/rerank'

/** Sorts search results by relevance to a question. */
export const cohereRerank = defineComponent({
  type: 'CohereRerank',
  displayName: 'Cohere Rerank',
  description: 'Sorts search results by relevance with a Cohere model.',
  icon: 'Cohere',
  category: 'cohere',
  module: 'lfx.components.cohere.cohere_rerank.CohereRerankComponent',
  inputs: {
    search_query: field.multiline({ displayName: 'Search Query', toolMode: true }),
    search_results: field.handle({ displayName: 'Search Results', types: ['Data'], list: true }),
    top_n: field.int({ displayName: 'Top N', default: 3, advanced: true }),
    api_key: field.secret({ displayName: 'Cohere API Key' }),
    model: field.dropdown({
      closed: false,
      displayName: 'Model',
      options: [
        'rerank-english-v3.0',
        'rerank-multilingual-v3.0',
        'rerank-english-v2.0',
        'rerank-multilingual-v2.0',
      ],
      default: 'rerank-english-v3.0',
    }),
  },
  outputs: {
    reranked_documents: output.list({
      displayName: 'Reranked Documents',
      method: 'compress_documents',
      async run(inputs, ctx) {
        const rows = dataRows(inputs.search_results, '"Search Results" (search_results)')
        if (rows.length === 0 || inputs.search_query.trim() === '') return []
        const key = requireKey('Cohere', inputs.api_key)
        const answer = await vendorRequest(
          {
            url: URL,
            headers: { authorization: `Bearer ${key}` },
            body: {
              model: inputs.model,
              query: inputs.search_query,
              documents: rows.map(dataText),
              top_n: inputs.top_n,
            },
            secrets: [key],
          },
          ctx,
        )
        const { body } = requireSuccess('Cohere', answer)
        const ranked = recordsIn(isObject(body) ? body.results : undefined)
        const found = ranked.flatMap(({ index, relevance_score: score }) =>
          scored(rows, index, score),
        )
        ctx.status(found)
        return found
      },
    }),
  },
})

function scored(rows: readonly Data[], index: unknown, score: unknown): Data[] {
  const row = rows[Number(index)]
  if (row === undefined) return []
  return [createData({ ...row.data, relevance_score: score }, { textKey: row.textKey })]
}
