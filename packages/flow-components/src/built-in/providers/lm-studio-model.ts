import { field } from '@x/flow-engine'
import { compatibleModel, requireText } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A chat model of an LM Studio server. */
export const lmStudioModel = defineChatModel({
  type: 'LMStudioModel',
  displayName: 'LM Studio',
  description: 'Sends a message to an LM Studio model.',
  icon: 'LMStudio',
  category: 'lmstudio',
  module: 'lfx.components.lmstudio.lmstudiomodel.LMStudioModelComponent',
  inputs: {
    max_tokens: field.int({
      displayName: 'Max Tokens',
      info: 'Maximum number of output tokens; 0 for no limit.',
      advanced: true,
      min: 0,
      max: 128_000,
    }),
    model_kwargs: field.dict({
      displayName: 'Model Kwargs',
      info: 'Additional properties of each request body.',
      default: {},
      advanced: true,
    }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      options: [],
      combobox: true,
      attributes: { refresh_button: true },
    }),
    base_url: field.string({ displayName: 'Base URL', default: 'http://localhost:1234/v1' }),
    api_key: field.secret({
      displayName: 'LM Studio API Key',
      default: 'LMSTUDIO_API_KEY',
      advanced: true,
    }),
    temperature: field.float({ displayName: 'Temperature', default: 0.1, advanced: true }),
    seed: field.int({ displayName: 'Seed', default: 1, advanced: true }),
  },
  build: async (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'LM Studio',
      provider: 'LM Studio',
      model: requireText('Model Name', inputs.model_name),
      apiKey: inputs.api_key,
      keyOptional: true,
      baseUrl: inputs.base_url,
      maxTokens: inputs.max_tokens,
      body: { ...inputs.model_kwargs, seed: inputs.seed },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
