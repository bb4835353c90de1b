import { field } from '@x/flow-engine'
import { maxTokensField, temperatureField } from './chat-fields.ts'
import { compatibleModel, requireText } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A chat model deployed on Azure. */
export const azureOpenAiModel = defineChatModel({
  type: 'AzureOpenAIModel',
  displayName: 'Azure OpenAI',
  description: 'Sends a message to an Azure OpenAI model.',
  icon: 'Azure',
  category: 'azure',
  module: 'lfx.components.azure.azure_openai.AzureChatOpenAIComponent',
  inputs: {
    azure_endpoint: field.text({ displayName: 'Azure Endpoint', info: 'URL of the resource.' }),
    azure_deployment: field.text({ displayName: 'Deployment Name' }),
    api_key: field.secret({ displayName: 'Azure Chat OpenAI API Key' }),
    api_version: field.dropdown({
      displayName: 'API Version',
      options: [
        '2025-02-01-preview',
        '2025-01-01-preview',
        '2024-12-01-preview',
        '2024-10-01-preview',
        '2024-09-01-preview',
        '2024-08-01-preview',
        '2024-07-01-preview',
        '2024-06-01',
        '2024-03-01-preview',
        '2024-02-15-preview',
        '2023-12-01-preview',
        '2023-05-15',
      ],
      default: '2024-06-01',
      combobox: true,
    }),
    temperature: temperatureField(1),
    max_tokens: maxTokensField('Max Tokens'),
  },
  build: async (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'Azure OpenAI',
      provider: 'Azure OpenAI',
      baseUrl: requireText('Azure Endpoint', inputs.azure_endpoint),
      model: requireText('Deployment Name', inputs.azure_deployment),
      apiKey: inputs.api_key,
      maxTokens: inputs.max_tokens,
      options: { apiVersion: inputs.api_version },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
