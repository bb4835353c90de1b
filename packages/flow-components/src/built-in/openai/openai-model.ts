import type { ChatModel } from '@x/flow-engine'
import { openAiChatModels, openAiReasoningModels } from '@x/flow-engine/internal'
import { findChatModel } from '@x/flow-engine/models'
import type { ComponentContext } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { withSettings } from '@x/flow-engine/internal'
import { defineChatModel } from '../providers/define-chat-model.ts'

/** An OpenAI chat model with all its settings. */
export const openAiModel = defineChatModel({
  type: 'OpenAIModel',
  displayName: 'OpenAI',
  description: 'Sends a message to an OpenAI model.',
  icon: 'OpenAI',
  category: 'openai',
  module: 'lfx.components.openai.openai_chat_model.OpenAIModelComponent',
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
    json_mode: field.bool({
      displayName: 'JSON Mode',
      info: 'Return the answer as a JSON object.',
      default: false,
      advanced: true,
    }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      options: [...openAiChatModels, ...openAiReasoningModels],
      default: openAiChatModels[0],
      combobox: true,
      refresh: true,
    }),
    openai_api_base: field.string({
      displayName: 'OpenAI API Base',
      info: 'URL of another server with the same API.',
      advanced: true,
    }),
    api_key: field.secret({
      displayName: 'OpenAI API Key',
      default: 'OPENAI_API_KEY',
      required: true,
    }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.1,
      min: 0,
      max: 1,
      step: 0.01,
    }),
    seed: field.int({ displayName: 'Seed', default: 1, advanced: true }),
    max_retries: field.int({ displayName: 'Max Retries', default: 5, advanced: true }),
    timeout: field.int({
      displayName: 'Timeout',
      info: 'Time limit of a request in seconds.',
      default: 700,
      advanced: true,
    }),
  },
  build: buildModel,
  refresh(template, name, value) {
    if (name !== 'model_name' || typeof value !== 'string') return
    const reasons = openAiReasoningModels.some((model) => model === value)
    if (!reasons && !openAiChatModels.some((model) => model === value)) return
    Object.assign(template.temperature ?? {}, { show: !reasons })
    Object.assign(template.seed ?? {}, { show: !reasons })
    if (!reasons || value.startsWith('o1')) {
      Object.assign(template.system_message ?? {}, { show: !reasons })
    }
  },
})

interface ModelInputs {
  readonly stream: boolean
  readonly max_tokens: number | null
  readonly model_kwargs: Readonly<Record<string, unknown>>
  readonly json_mode: boolean
  readonly model_name: string
  readonly openai_api_base: string
  readonly api_key: string
  readonly temperature: number
  readonly seed: number
  readonly max_retries: number
  readonly timeout: number
}

async function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  const { model_name: name, max_tokens: maxTokens } = inputs
  // Older flows store a copy of the key among the additional properties.
  const { api_key: _key, ...body } = inputs.model_kwargs
  const model = await findChatModel(ctx, {
    provider: 'OpenAI',
    model: name,
    apiKey: inputs.api_key,
    ...(inputs.openai_api_base === '' ? {} : { baseUrl: inputs.openai_api_base }),
    options: { body, maxRetries: inputs.max_retries, timeoutMs: inputs.timeout * 1000 },
  })
  const settings = {
    model: name,
    temperature: inputs.temperature,
    seed: inputs.seed,
    ...(maxTokens === null || maxTokens <= 0 ? {} : { maxTokens }),
    ...(inputs.json_mode ? ({ responseFormat: 'json' } as const) : {}),
  }
  return withSettings(model, settings, inputs.stream)
}
