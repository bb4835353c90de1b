import type { ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { answerOf, compatibleModel } from './compatible-model.ts'

const advanced = { advanced: true } as const

/** A chat model of Mistral (MO-10). */
export const mistralModel = defineComponent({
  type: 'MistralModel',
  displayName: 'MistralAI',
  description: 'Asks a language model of MistralAI.',
  icon: 'MistralAI',
  category: 'mistral',
  module: 'lfx.components.mistral.mistral.MistralAIModelComponent',
  inputs: {
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', default: false, ...advanced }),
    max_tokens: field.int({
      displayName: 'Max Tokens',
      info: 'Longest answer; 0 sets no limit.',
      default: 0,
      ...advanced,
    }),
    model_name: field.dropdown({
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
      info: 'Address of another server that speaks the same protocol.',
      ...advanced,
    }),
    api_key: field.secret({ displayName: 'Mistral API Key', default: 'MISTRAL_API_KEY' }),
    mistral_api_key: field.secret({
      displayName: 'Mistral API Key',
      info: 'Older flows keep the key here.',
      newer: true,
    }),
    temperature: field.float({ displayName: 'Temperature', default: 0.1, ...advanced }),
    max_retries: field.int({ displayName: 'Max Retries', default: 5, ...advanced }),
    timeout: field.int({
      displayName: 'Timeout',
      info: 'Seconds until a request is given up.',
      default: 60,
      ...advanced,
    }),
    max_concurrent_requests: field.int({
      displayName: 'Max Concurrent Requests',
      info: 'Without effect: a run asks once at a time.',
      default: 3,
      ...advanced,
    }),
    top_p: field.float({ displayName: 'Top P', default: 1, ...advanced }),
    random_seed: field.int({ displayName: 'Random Seed', default: 1, ...advanced }),
    safe_mode: field.bool({
      displayName: 'Safe Mode',
      info: 'Without effect.',
      default: false,
      ...advanced,
    }),
  },
  outputs: {
    text_output: output.message({
      displayName: 'Model Response',
      method: 'text_response',
      run: async (inputs, ctx) => answerOf(await buildModel(inputs, ctx), inputs, ctx, 'MistralAI'),
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
  readonly max_tokens: number
  readonly model_name: string
  readonly mistral_api_base: string
  readonly api_key: string | null
  readonly mistral_api_key: string | null
  readonly temperature: number
  readonly max_retries: number
  readonly timeout: number
  readonly top_p: number
  readonly random_seed: number
}

function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  return compatibleModel(ctx, {
    displayName: 'MistralAI',
    provider: 'Mistral',
    model: inputs.model_name,
    // An older flow has no api_key, whose default then names a variable.
    apiKey: filled(inputs.mistral_api_key) ?? inputs.api_key,
    baseUrl: inputs.mistral_api_base,
    maxTokens: inputs.max_tokens,
    body: { top_p: inputs.top_p, random_seed: inputs.random_seed },
    options: { maxRetries: inputs.max_retries, timeoutMs: inputs.timeout * 1000 },
    streams: inputs.stream,
    temperature: inputs.temperature,
  })
}

function filled(key: string | null): string | null {
  return key === '' ? null : key
}
