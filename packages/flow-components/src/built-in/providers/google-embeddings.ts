import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'
import { requireText } from './compatible-model.ts'

/** Maximum number of texts in one request. */
const BATCH = 100

/** Creates an embedder for Google. */
export const googleGenerativeAiEmbeddings = defineComponent({
  type: 'Google Generative AI Embeddings',
  displayName: 'Google Generative AI Embeddings',
  description: 'Creates embeddings with a Google model.',
  icon: 'GoogleGenerativeAI',
  category: 'google',
  module:
    'lfx.components.google.google_generative_ai_embeddings.GoogleGenerativeAIEmbeddingsComponent',
  inputs: {
    api_key: field.secret({ displayName: 'Google Generative AI API Key' }),
    model_name: field.text({ displayName: 'Model Name', default: 'models/text-embedding-004' }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: async (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'Google Generative AI Embeddings',
          provider: 'Google Generative AI',
          model: requireText('Model Name', inputs.model_name).replace(/^models\//, ''),
          apiKey: inputs.api_key,
          options: { chunkSize: BATCH },
        }),
    }),
  },
})
