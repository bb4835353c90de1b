import { field } from '@x/flow-engine'
import { maxTokensField, temperatureField } from './chat-fields.ts'
import { compatibleModel, requireText } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A chat model from any provider available through OpenRouter. */
export const openRouter = defineChatModel({
  type: 'OpenRouterComponent',
  displayName: 'OpenRouter',
  description: 'Sends a message to a model through OpenRouter.',
  icon: 'OpenRouter',
  category: 'openrouter',
  module: 'lfx.components.openrouter.openrouter.OpenRouterComponent',
  inputs: {
    api_key: field.secret({ displayName: 'API Key' }),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4'],
      default: '',
      combobox: true,
    }),
    temperature: temperatureField(0.7),
    max_tokens: maxTokensField('Max Tokens'),
    site_url: field.string({
      displayName: 'Site URL',
      info: 'Sent as the HTTP-Referer header.',
      advanced: true,
    }),
    app_name: field.string({
      displayName: 'App Name',
      info: 'Sent as the X-Title header.',
      advanced: true,
    }),
  },
  build: async (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'OpenRouter',
      provider: 'OpenRouter',
      model: requireText('Model', inputs.model_name),
      apiKey: inputs.api_key,
      maxTokens: inputs.max_tokens,
      options: {
        headers: {
          ...(inputs.site_url === '' ? {} : { 'http-referer': inputs.site_url }),
          ...(inputs.app_name === '' ? {} : { 'x-title': inputs.app_name }),
        },
      },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
