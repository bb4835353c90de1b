import { DEFAULT_URL, refreshAnthropicModels } from '@x/flow-engine/internal'

import type { ChatModel } from '@x/flow-engine'
import { anthropicModels } from '@x/flow-engine/internal'

import { findChatModel } from '@x/flow-engine/models'

import type { ComponentContext } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { withSettings } from '@x/flow-engine/internal'

import { defineChatModel } from '../providers/define-chat-model.ts'

/** An Anthropic chat model with all its settings. */
export const anthropicModel = defineChatModel({
  type: 'AnthropicModel',
  displayName: 'Anthropic',
  description: 'Sends a message to an Anthropic model.',
  icon: 'Anthropic',
  category: 'anthropic',
  module: 'lfx.components.anthropic.anthropic.AnthropicModelComponent',
  inputs: {
    max_tokens: field.int({
      displayName: 'Max Tokens',
      info: 'Maximum number of output tokens.',
      default: 4096,
      advanced: true,
    }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      options: anthropicModels,
      default: anthropicModels[0],
      combobox: true,
      attributes: { refresh_button: true },
    }),
    api_key: field.secret({
      displayName: 'Anthropic API Key',
      required: true,
      refresh: true,
      attributes: { value: undefined },
    }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.1,
      advanced: true,
      min: 0,
      max: 1,
      step: 0.01,
    }),
    base_url: field.text({
      displayName: 'Anthropic API URL',
      default: DEFAULT_URL,
      advanced: true,
      refresh: true,
    }),
    tool_model_enabled: field.bool({
      displayName: 'Enable Tool Models',
      info: 'Show only models that can call tools.',
      default: false,
      refresh: true,
    }),
  },
  build: buildModel,
  refresh: refreshAnthropicModels,
})

interface ModelInputs {
  readonly stream: boolean
  readonly max_tokens: number
  readonly model_name: string
  readonly api_key: string
  readonly temperature: number
  readonly base_url: string
}

async function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  const { model_name: name, temperature, max_tokens: maxTokens, base_url } = inputs
  const model = await findChatModel(ctx, {
    provider: 'Anthropic',
    model: name,
    apiKey: inputs.api_key,
    baseUrl: base_url === '' ? DEFAULT_URL : base_url,
    options: {},
  })
  return withSettings(model, { model: name, temperature, maxTokens }, inputs.stream)
}
