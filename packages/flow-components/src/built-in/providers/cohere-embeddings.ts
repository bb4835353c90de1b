import { append, isObject } from '@x/wire'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { requireSuccess, vendorRequest } from '../vendors/vendor-request.ts'
import { readVectors, requireKey } from './read-vectors.ts'

const URL = 'https://api.cohere.com/v2/embed'
/** Maximum number of texts in one request. */
const BATCH = 96

const fields = {
  api_key: field.secret({ displayName: 'Cohere API Key', required: true }),
  model_name: field.dropdown({
    displayName: 'Model',
    options: [
      'embed-english-v2.0',
      'embed-multilingual-v2.0',
      'embed-english-light-v2.0',
      'embed-multilingual-light-v2.0',
    ],
    default: 'embed-english-v2.0',
    combobox: true,
  }),
  truncate: field.text({
    displayName: 'Truncate',
    info: 'START or END: the end at which an overlong text is truncated.',
    advanced: true,
  }),
  max_retries: field.int({
    displayName: 'Max Retries',
    info: 'Has no effect.',
    default: 3,
    advanced: true,
  }),
  user_agent: field.text({
    displayName: 'User Agent',
    info: 'Has no effect.',
    default: 'langchain',
    advanced: true,
  }),
  request_timeout: field.float({
    displayName: 'Request Timeout',
    info: 'Timeout in seconds.',
    advanced: true,
  }),
}

type CohereInputs = Values<typeof fields>

/** Creates an embedder for Cohere, which distinguishes documents from queries. */
export const cohereEmbeddings = defineComponent({
  type: 'CohereEmbeddings',
  displayName: 'Cohere Embeddings',
  description: 'Creates embeddings with a Cohere model.',
  icon: 'Cohere',
  category: 'cohere',
  module: 'lfx.components.cohere.cohere_embeddings.CohereEmbeddingsComponent',
  inputs: fields,
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: (inputs, ctx) => createEmbedder(inputs, ctx),
    }),
  },
})

function createEmbedder(inputs: CohereInputs, ctx: ComponentContext): Embedder {
  const key = requireKey('Cohere Embeddings', inputs.api_key)
  const ask = async (texts: readonly string[], inputType: string): Promise<number[][]> => {
    const vectors: number[][] = []
    for (let at = 0; at < texts.length; at += BATCH) {
      const part = texts.slice(at, at + BATCH)
      const answer = await vendorRequest(
        {
          url: URL,
          headers: { authorization: `Bearer ${key}` },
          body: {
            model: inputs.model_name,
            texts: part,
            input_type: inputType,
            embedding_types: ['float'],
            ...(inputs.truncate === '' ? {} : { truncate: inputs.truncate.toUpperCase() }),
          },
          ...(inputs.request_timeout ? { timeoutMs: inputs.request_timeout * 1000 } : {}),
          secrets: [key],
        },
        ctx,
      )
      const { body } = requireSuccess('Cohere', answer)
      const found = isObject(body) && isObject(body.embeddings) ? body.embeddings.float : undefined
      append(vectors, readVectors('Cohere', found, part.length))
    }
    return vectors
  }
  return {
    embed: (texts) => ask(texts, 'search_document'),
    async embedQuery(text) {
      const [vector = []] = await ask([text], 'search_query')
      return vector
    },
  }
}
