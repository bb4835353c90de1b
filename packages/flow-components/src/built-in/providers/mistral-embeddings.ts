import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'

/** Maximum number of texts in one request, because the provider limits their total tokens. */
const BATCH = 100

/** Creates an embedder for Mistral; the misspelt type name is the one in flow files. */
export const mistralAiEmbeddings = defineComponent({
  type: 'MistalAIEmbeddings',
  displayName: 'MistralAI Embeddings',
  description: 'Creates embeddings with a Mistral model.',
  icon: 'MistralAI',
  category: 'mistral',
  module: 'lfx.components.mistral.mistral_embeddings.MistralAIEmbeddingsComponent',
  inputs: {
    model: field.dropdown({
      displayName: 'Model',
      options: ['mistral-embed'],
      default: 'mistral-embed',
      combobox: true,
    }),
    mistral_api_key: field.secret({ displayName: 'Mistral API Key' }),
    max_concurrent_requests: field.int({
      displayName: 'Max Concurrent Requests',
      info: 'Has no effect: batches are sent sequentially.',
      default: 64,
      advanced: true,
    }),
    max_retries: field.int({ displayName: 'Max Retries', default: 5, advanced: true }),
    timeout: field.int({
      displayName: 'Request Timeout',
      info: 'Timeout in seconds.',
      default: 120,
      advanced: true,
    }),
    endpoint: field.text({
      displayName: 'API Endpoint',
      default: 'https://api.mistral.ai/v1/',
      advanced: true,
    }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'MistralAI Embeddings',
          provider: 'Mistral',
          model: inputs.model,
          apiKey: inputs.mistral_api_key,
          baseUrl: inputs.endpoint,
          options: {
            chunkSize: BATCH,
            maxRetries: inputs.max_retries,
            timeoutMs: inputs.timeout * 1000,
          },
        }),
    }),
  },
})
