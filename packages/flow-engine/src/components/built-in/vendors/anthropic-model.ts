import { isObject } from '@x/wire'
import { trimSlashes } from '../../../base/trim-slashes.ts'
import type { ChatModel } from '../../../models/chat-model.ts'
import { anthropicModels } from '../../../models/model-names.ts'
import { modelAddress } from '../../../outgoing/model-address.ts'
import { openFetch } from '../../../outgoing/open-fetch.ts'
import { findChatModel } from '../../../models/providers.ts'
import { readAnswer } from '../../../models/read-answer.ts'
import type { ComponentContext } from '../../define/context.ts'
import { field } from '../../define/field.ts'
import { withSettings } from '../../chat/model-answer.ts'
import type { NodeTemplate } from '../../../graph/flow/node-json.ts'
import type { RefreshContext } from '../../define/refresh-context.ts'
import { defineChatModel } from '../providers/define-chat-model.ts'

const DEFAULT_URL = 'https://api.anthropic.com'
const MAX_LIST_BYTES = 1024 * 1024
const LISTING_FIELDS = ['base_url', 'model_name', 'tool_model_enabled', 'api_key']

/** An Anthropic chat model with all its settings (CO-79). */
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

/** Offers the models available to the key, after a field that affects them has changed. */
export async function refreshAnthropicModels(
  { model_name: model }: NodeTemplate,
  name: string,
  value: unknown,
  ctx: RefreshContext,
): Promise<void> {
  if (!LISTING_FIELDS.includes(name) || model === undefined) return
  if (value === '' || value === null || value === false) return
  const [url, key] = [await ctx.resolve('base_url'), await ctx.resolve('api_key')]
  const offered = (await listModels(url, key, ctx)) ?? [...anthropicModels]
  model.options = offered
  model.combobox = true
}

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

/** Lists the models available to the key; undefined if the request fails. */
async function listModels(
  url: unknown,
  key: unknown,
  { services, signal }: RefreshContext,
): Promise<string[] | undefined> {
  const { fetch, environment } = services
  if (fetch === undefined || typeof key !== 'string' || key === '') return undefined
  const given = typeof url === 'string' ? url : undefined
  const { url: base = DEFAULT_URL, trusted } = modelAddress('Anthropic', given, environment)
  const send = trusted ? openFetch(fetch) : fetch
  try {
    const response = await send(`${trimSlashes(base)}/v1/models`, {
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      signal,
    })
    const body: unknown = JSON.parse(await readAnswer(response, MAX_LIST_BYTES))
    const models = isObject(body) && Array.isArray(body.data) ? body.data.filter(isObject) : []
    const ids = models.map(({ id }) => id).filter((id) => typeof id === 'string')
    return ids.length === 0 ? undefined : ids
  } catch {
    return undefined
  }
}
