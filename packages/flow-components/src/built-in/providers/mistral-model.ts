import { field } from '@x/flow-engine'
import { maxTokensField } from './chat-fields.ts'
import { compatibleModel } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A Mistral chat model. */
export const mistralModel = defineChatModel({
  type: 'MistralModel',
  displayName: 'MistralAI',
  description: 'Sends a message to a Mistral model.',
  icon: 'MistralAI',
  category: 'mistral',
  module: 'lfx.components.mistral.mistral.MistralAIModelComponent',
  inputs: {
    max_tokens: maxTokensField('Max Tokens'),
    model_name: field.dropdown({
      closed: false,
      displayName: 'Model Name',
      options: [
        'open-mixtral-8x7b',
        'open-mixtral-8x22b',
        'mistral-small-latest',
        'mistral-medium-latest',
        'mistral-large-latest',
        'codestral-latest',
      ],
      default: 'codestral-latest',
    }),
    mistral_api_base: field.string({
      displayName: 'Mistral API Base',
      info: 'URL of another server with the same API.',
      advanced: true,
    }),
    api_key: field.secret({ displayName: 'Mistral API Key', default: 'MISTRAL_API_KEY' }),
    mistral_api_key: field.secret({
      displayName: 'Mistral API Key',
      info: 'API key in older flows.',
      newer: true,
    }),
    temperature: field.float({ displayName: 'Temperature', default: 0.1, advanced: true }),
    max_retries: field.int({ displayName: 'Max Retries', default: 5, advanced: true }),
    timeout: field.int({
      displayName: 'Timeout',
      info: 'Time limit of a request in seconds.',
      default: 60,
      advanced: true,
    }),
    max_concurrent_requests: field.int({
      displayName: 'Max Concurrent Requests',
      info: 'Has no effect: a run sends one request at a time.',
      default: 3,
      advanced: true,
    }),
    top_p: field.float({ displayName: 'Top P', default: 1, advanced: true }),
    random_seed: field.int({ displayName: 'Random Seed', default: 1, advanced: true }),
    safe_mode: field.bool({
      displayName: 'Safe Mode',
      info: 'Has no effect.',
      default: false,
      advanced: true,
    }),
  },
  build: (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'MistralAI',
      provider: 'Mistral',
      model: inputs.model_name,
      // Older flows lack `api_key`, whose default then names a variable.
      apiKey: filled(inputs.mistral_api_key) ?? inputs.api_key,
      baseUrl: inputs.mistral_api_base,
      maxTokens: inputs.max_tokens,
      body: { top_p: inputs.top_p, random_seed: inputs.random_seed },
      options: { maxRetries: inputs.max_retries, timeoutMs: inputs.timeout * 1000 },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})

function filled(key: string | null): string | null {
  return key === '' ? null : key
}
