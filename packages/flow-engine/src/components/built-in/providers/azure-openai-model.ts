import type { ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { answerOf, compatibleModel, requireText } from './compatible-model.ts'

const advanced = { advanced: true } as const

/** A chat model that is deployed at Azure (MO-12). */
export const azureOpenAiModel = defineComponent({
  type: 'AzureOpenAIModel',
  displayName: 'Azure OpenAI',
  description: 'Asks a language model of Azure OpenAI.',
  icon: 'Azure',
  category: 'azure',
  module: 'lfx.components.azure.azure_openai.AzureChatOpenAIComponent',
  inputs: {
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', default: false, ...advanced }),
    azure_endpoint: field.text({ displayName: 'Azure Endpoint', info: 'Address of the resource.' }),
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
    temperature: field.slider({
      displayName: 'Temperature',
      default: 1,
      min: 0,
      max: 2,
      step: 0.01,
      ...advanced,
    }),
    max_tokens: field.int({
      displayName: 'Max Tokens',
      info: 'Longest answer; 0 sets no limit.',
      default: 0,
      ...advanced,
    }),
  },
  outputs: {
    text_output: output.message({
      displayName: 'Model Response',
      method: 'text_response',
      run: async (inputs, ctx) => answerOf(await buildModel(inputs, ctx), inputs, ctx, 'Azure'),
    }),
    model_output: output.model({
      displayName: 'Language Model',
      method: 'build_model',
      run: (inputs, ctx) => buildModel(inputs, ctx),
    }),
  },
})

interface ModelInputs {
  readonly stream: boolean
  readonly azure_endpoint: string
  readonly azure_deployment: string
  readonly api_key: string | null
  readonly api_version: string
  readonly temperature: number
  readonly max_tokens: number
}

async function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  return compatibleModel(ctx, {
    displayName: 'Azure OpenAI',
    provider: 'Azure OpenAI',
    baseUrl: requireText('Azure Endpoint', inputs.azure_endpoint),
    model: requireText('Deployment Name', inputs.azure_deployment),
    apiKey: inputs.api_key,
    maxTokens: inputs.max_tokens,
    options: { apiVersion: inputs.api_version },
    streams: inputs.stream,
    temperature: inputs.temperature,
  })
}
