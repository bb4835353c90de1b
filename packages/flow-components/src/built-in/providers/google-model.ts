import { field } from '@x/flow-engine'
import { answersField, maxTokensField, temperatureField, toolModelField } from './chat-fields.ts'
import { compatibleModel } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A Google chat model. */
export const googleGenerativeAiModel = defineChatModel({
  type: 'GoogleGenerativeAIModel',
  displayName: 'Google Generative AI',
  description: 'Sends a message to a Google Generative AI model.',
  icon: 'GoogleGenerativeAI',
  category: 'google',
  module: 'lfx.components.google.google_generative_ai.GoogleGenerativeAIComponent',
  inputs: {
    max_output_tokens: maxTokensField('Max Output Tokens', { advanced: false }),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-2.5-flash-lite'],
      default: 'gemini-2.5-flash',
      combobox: true,
    }),
    api_key: field.secret({ displayName: 'Google API Key' }),
    top_p: field.float({ displayName: 'Top P', advanced: true }),
    temperature: temperatureField(0.1, { advanced: false }),
    n: answersField(),
    top_k: field.int({
      displayName: 'Top K',
      info: 'Has no effect: the API has no such setting.',
      default: 0,
      advanced: true,
    }),
    tool_model_enabled: toolModelField(),
  },
  build: (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'Google Generative AI',
      provider: 'Google Generative AI',
      model: inputs.model_name,
      apiKey: inputs.api_key,
      maxTokens: inputs.max_output_tokens,
      body: { top_p: inputs.top_p, n: inputs.n },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
