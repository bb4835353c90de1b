import type { ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { answerOf, compatibleModel, requireText } from './compatible-model.ts'

const advanced = { advanced: true } as const

/** A chat model of the providers that OpenRouter reaches (MO-10). */
export const openRouter = defineComponent({
  type: 'OpenRouterComponent',
  displayName: 'OpenRouter',
  description: 'Asks a language model of OpenRouter.',
  icon: 'OpenRouter',
  category: 'openrouter',
  module: 'lfx.components.openrouter.openrouter.OpenRouterComponent',
  inputs: {
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', default: false, ...advanced }),
    api_key: field.secret({ displayName: 'API Key' }),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4'],
      default: '',
      combobox: true,
    }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.7,
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
    site_url: field.string({ displayName: 'Site URL', info: 'Sent as HTTP-Referer.', ...advanced }),
    app_name: field.string({ displayName: 'App Name', info: 'Sent as X-Title.', ...advanced }),
  },
  outputs: {
    text_output: output.message({
      displayName: 'Model Response',
      method: 'text_response',
      run: async (inputs, ctx) =>
        answerOf(await buildModel(inputs, ctx), inputs, ctx, 'OpenRouter'),
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
  readonly api_key: string | null
  readonly model_name: string
  readonly temperature: number
  readonly max_tokens: number
  readonly site_url: string
  readonly app_name: string
}

async function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  return compatibleModel(ctx, {
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
  })
}
