import { field } from '@x/flow-engine'
import { temperatureField } from './chat-fields.ts'
import { compatibleModel } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A Cohere chat model, through its OpenAI-compatible API. */
export const cohereModel = defineChatModel({
  type: 'CohereModel',
  displayName: 'Cohere Language Models',
  description: 'Sends a message to a Cohere model.',
  icon: 'Cohere',
  category: 'cohere',
  module: 'lfx.components.cohere.cohere_models.CohereComponent',
  inputs: {
    cohere_api_key: field.secret({
      displayName: 'Cohere API Key',
      default: 'COHERE_API_KEY',
      required: true,
    }),
    model: field.string({ displayName: 'Model', default: 'command-r-plus', newer: true }),
    temperature: temperatureField(0.75),
  },
  build: (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'Cohere',
      provider: 'Cohere',
      model: inputs.model === '' ? 'command-r-plus' : inputs.model,
      apiKey: inputs.cohere_api_key,
      maxTokens: null,
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
