import { isChatModel, type ChatModel } from '../../models/chat-model.ts'
import { findChatModel } from '../../models/providers.ts'
import type { ComponentContext } from '../context.ts'
import { withSettings } from '../model-answer.ts'
import { agentProviders } from './agent-fields.ts'

export interface AgentModelInputs {
  /** The name of a provider; a model when one is connected. */
  readonly agent_llm: unknown
  readonly api_key: string | null
  readonly base_url: string
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

/**
 * The model of an agent: the connected one, else that of the provider named.
 * @throws TypeError for a provider that is not offered
 */
export async function buildAgentModel(
  inputs: AgentModelInputs,
  ctx: ComponentContext,
): Promise<ChatModel> {
  const { agent_llm: choice } = inputs
  if (isChatModel(choice)) return choice
  const provider = typeof choice === 'string' ? choice : ''
  const offered: readonly string[] = agentProviders
  const hosted = ctx.services.models !== undefined
  if (provider === 'connect_other_models' || provider === '') {
    throw new TypeError('No language model selected')
  }
  if (!offered.includes(provider) && !hosted) {
    throw new TypeError(`Failed to initialize language model: Invalid model provider: ${provider}`)
  }
  const model = await findChatModel(ctx, {
    provider,
    model: inputs.model_name,
    ...(inputs.api_key === null || inputs.api_key === '' ? {} : { apiKey: inputs.api_key }),
    ...baseUrlOf(provider, inputs),
    options: {
      temperature: inputs.temperature,
      maxRetries: inputs.max_retries,
      timeoutMs: inputs.timeout * 1000,
      projectId: inputs.project_id,
      body: withoutKey(inputs.model_kwargs),
    },
  })
  const limit = inputs.max_tokens || inputs.max_output_tokens
  return withSettings(
    model,
    {
      model: inputs.model_name,
      temperature: inputs.temperature,
      ...(limit === null || limit <= 0 ? {} : { maxTokens: limit }),
      ...(provider === 'OpenAI' ? { seed: inputs.seed } : {}),
    },
    true,
  )
}

function baseUrlOf(provider: string, inputs: AgentModelInputs): { baseUrl?: string } {
  const url = provider === 'OpenAI' ? inputs.openai_api_base : inputs.base_url
  return url === '' ? {} : { baseUrl: url }
}

function withoutKey({ api_key: _key, ...rest }: Readonly<Record<string, unknown>>) {
  return rest
}
