import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'
import { requireText } from './compatible-model.ts'

/** Creates an embedder for a model deployed on Azure. */
export const azureOpenAiEmbeddings = defineComponent({
  type: 'AzureOpenAIEmbeddings',
  displayName: 'Azure OpenAI Embeddings',
  description: 'Creates embeddings with an Azure OpenAI model.',
  icon: 'Azure',
  category: 'azure',
  module: 'lfx.components.azure.azure_openai_embeddings.AzureOpenAIEmbeddingsComponent',
  inputs: {
    model: field.dropdown({
      closed: false,
      displayName: 'Model',
      info: 'Informational: the deployment determines the model.',
      options: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
      default: 'text-embedding-3-small',
    }),
    azure_endpoint: field.text({ displayName: 'Azure Endpoint', info: 'URL of the resource.' }),
    azure_deployment: field.text({ displayName: 'Deployment Name' }),
    api_version: field.dropdown({
      displayName: 'API Version',
      options: [
        '2022-12-01',
        '2023-03-15-preview',
        '2023-05-15',
        '2023-06-01-preview',
        '2023-07-01-preview',
        '2023-08-01-preview',
      ],
      default: '2023-08-01-preview',
      advanced: true,
      combobox: true,
    }),
    api_key: field.secret({ displayName: 'Azure OpenAI API Key' }),
    dimensions: field.int({
      displayName: 'Dimensions',
      info: "Length of the vectors; 0 for the model's default.",
      default: 0,
      advanced: true,
    }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: async (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'Azure OpenAI Embeddings',
          provider: 'Azure OpenAI',
          baseUrl: requireText('Azure Endpoint', inputs.azure_endpoint),
          model: requireText('Deployment Name', inputs.azure_deployment),
          apiKey: inputs.api_key,
          options: { apiVersion: inputs.api_version, dimensions: inputs.dimensions },
        }),
    }),
  },
})
