import { watsonxEndpoints } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'
import { requireText } from './compatible-model.ts'

/** Creates an embedder for IBM watsonx.ai. */
export const watsonxEmbeddings = defineComponent({
  type: 'WatsonxEmbeddingsComponent',
  displayName: 'IBM watsonx.ai Embeddings',
  description: 'Creates embeddings with an IBM watsonx.ai model.',
  icon: 'WatsonxAI',
  category: 'ibm',
  module: 'lfx.components.ibm.watsonx_embeddings.WatsonxEmbeddingsComponent',
  inputs: {
    url: field.dropdown({
      displayName: 'watsonx API Endpoint',
      options: [...watsonxEndpoints],
      closed: false,
    }),
    project_id: field.string({ displayName: 'watsonx project id', required: true }),
    api_key: field.secret({ displayName: 'Watsonx API Key', required: true }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      options: [],
      combobox: true,
      dynamic: true,
      required: true,
    }),
    truncate_input_tokens: field.int({
      displayName: 'Truncate Input Tokens',
      info: 'Maximum tokens of a text, longer ones are truncated; 0 to reject long texts.',
      default: 200,
      advanced: true,
    }),
    input_text: field.bool({
      displayName: 'Include the original text in the output',
      info: 'Has no effect.',
      default: true,
      advanced: true,
    }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embedding Model',
      method: 'build_embeddings',
      run: async (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'IBM watsonx.ai',
          provider: 'IBM WatsonX',
          model: requireText('Model Name', inputs.model_name),
          apiKey: inputs.api_key,
          baseUrl: inputs.url,
          options: {
            projectId: requireText('watsonx project id', inputs.project_id),
            body:
              inputs.truncate_input_tokens > 0
                ? { parameters: { truncate_input_tokens: inputs.truncate_input_tokens } }
                : {},
          },
        }),
    }),
  },
})
