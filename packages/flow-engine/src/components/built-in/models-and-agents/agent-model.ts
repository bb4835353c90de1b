import { isChatModel, type ChatModel } from '../../../models/chat-model.ts'
import { findProvider } from '../../../models/provider-table.ts'
import { chosenChatModel } from '../../chat/chosen-model.ts'
import { pickedAccess } from '../../chat/picker-fields.ts'
import type { ComponentContext } from '../../define/context.ts'
import type { ProviderKey } from '../../define/field.ts'
import type { PickedModel } from '../../define/picked-model.ts'
import { agentProviders } from './agent-fields.ts'

export interface AgentModelInputs {
  /** The selection in newer versions. */
  readonly model: PickedModel
  /** In older versions: the provider name, or the connected model. */
  readonly agent_llm: unknown
  readonly api_key: ProviderKey
  readonly base_url: string
  readonly base_url_ibm_watsonx: string
  readonly ollama_base_url: string
  readonly project_id: string
  readonly max_output_tokens: number | null
  readonly max_tokens: number | null
  readonly model_kwargs: Readonly<Record<string, unknown>>
  readonly model_name: string
  readonly openai_api_base: string
  readonly temperature: number
  readonly seed: number
  readonly max_retries: number
  readonly timeout: number
}

const NOTHING_CHOSEN =
  'No model selected. Please select a language model from the available options.'

/**
 * Returns the model of an agent: the connected or selected one, else the one from the provider fields of
 * older versions.
 * @throws TypeError for an unsupported provider
 */
export function buildAgentModel(
  inputs: AgentModelInputs,
  ctx: ComponentContext,
): Promise<ChatModel> {
  const { model, agent_llm: older } = inputs
  const isNewer = ctx.inputType('model') !== undefined && ctx.inputType('agent_llm') === undefined
  if (model !== null || (isNewer && (older === '' || older === null))) {
    return buildPicked(inputs, ctx)
  }
  return buildOlder(inputs, ctx)
}

function buildPicked(inputs: AgentModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  const access = { ...pickedAccess(inputs), nothingChosen: NOTHING_CHOSEN }
  return chosenChatModel(access, ctx, limitOf(inputs))
}

async function buildOlder(inputs: AgentModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  const { agent_llm: choice } = inputs
  if (isChatModel(choice)) return choice
  const provider = typeof choice === 'string' && choice !== '' ? choice : 'OpenAI'
  const offered: readonly string[] = agentProviders
  const hosted = ctx.services.models !== undefined
  if (provider === 'connect_other_models') throw new TypeError('No language model selected')
  if (!offered.includes(provider) && !hosted) {
    throw new TypeError(`Failed to initialize language model: Invalid model provider: ${provider}`)
  }
  const address = provider === 'OpenAI' ? inputs.openai_api_base : inputs.base_url
  return chosenChatModel(
    {
      picked: { name: inputs.model_name, provider, plain: false, reasons: false },
      older: true,
      apiKey: inputs.api_key,
      addresses: { [findProvider(provider)?.name ?? provider]: address },
      projectId: inputs.project_id,
      options: {
        temperature: inputs.temperature,
        maxRetries: inputs.max_retries,
        timeoutMs: inputs.timeout * 1000,
        body: withoutKey(inputs.model_kwargs),
      },
    },
    ctx,
    {
      temperature: inputs.temperature,
      ...limitOf(inputs),
      ...(provider === 'OpenAI' ? { seed: inputs.seed } : {}),
    },
  )
}

function limitOf({ max_tokens, max_output_tokens }: AgentModelInputs): { maxTokens?: number } {
  const limit = max_tokens || max_output_tokens
  return limit === null || limit <= 0 ? {} : { maxTokens: limit }
}

function withoutKey({ api_key: _key, ...rest }: Readonly<Record<string, unknown>>) {
  return rest
}
