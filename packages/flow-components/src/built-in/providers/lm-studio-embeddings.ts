import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'
import { requireText } from './compatible-model.ts'

/** Creates an embedder for an LM Studio server. */
export const lmStudioEmbeddings = defineComponent({
  type: 'LMStudioEmbeddingsComponent',
  displayName: 'LM Studio Embeddings',
  description: 'Creates embeddings with an LM Studio model.',
  icon: 'LMStudio',
  category: 'lmstudio',
  module: 'lfx.components.lmstudio.lmstudioembeddings.LMStudioEmbeddingsComponent',
  inputs: {
    model: field.dropdown({
      displayName: 'Model',
      options: [],
      combobox: true,
      required: true,
      attributes: { refresh_button: true },
    }),
    base_url: field.text({
      displayName: 'LM Studio Base URL',
      default: 'http://localhost:1234/v1',
      required: true,
      attributes: { refresh_button: true },
    }),
    api_key: field.secret({
      displayName: 'LM Studio API Key',
      default: 'LMSTUDIO_API_KEY',
      advanced: true,
    }),
    temperature: field.float({
      displayName: 'Model Temperature',
      info: 'Has no effect.',
      default: 0.1,
      advanced: true,
    }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embedding Model',
      method: 'build_embeddings',
      run: async (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'LM Studio Embeddings',
          provider: 'LM Studio',
          model: requireText('Model', inputs.model),
          apiKey: inputs.api_key,
          keyOptional: true,
          baseUrl: inputs.base_url,
        }),
    }),
  },
})
