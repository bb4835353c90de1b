import type { Message } from '@x/flow-engine'
import type { ChatModel } from '@x/flow-engine'
import { plainBadRequests } from './plain-bad-requests.ts'
import { findChatModel } from '@x/flow-engine/models'
import { hostServesModels } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { askModel, questionMessages, withSettings } from '@x/flow-engine/internal'

/** Settings for a model created by a provider's component. */
export interface ChosenModel {
  readonly provider: string
  readonly model: string
  readonly apiKey: string | null
  /** True if the server may work without a key. */
  readonly keyOptional?: boolean
  readonly baseUrl?: string
  readonly streams: boolean
  readonly temperature: number | null
  /** Null and 0 mean no limit. */
  readonly maxTokens: number | null
  /** Additional properties of each request body; null, 0 and "" are omitted. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Additional client settings. */
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Creates the model of a provider with the OpenAI API, using the component's settings.
 * @throws TypeError `<display name> API key is required`
 */
export async function compatibleModel(
  ctx: ComponentContext,
  { displayName, ...chosen }: ChosenModel & { readonly displayName: string },
): Promise<ChatModel> {
  const apiKey = chosen.apiKey ?? ''
  if (apiKey === '' && chosen.keyOptional !== true && !hostServesModels(ctx.services)) {
    throw new TypeError(`${displayName} API key is required`)
  }
  const given = chosen.baseUrl?.trim() ?? ''
  const model = await findChatModel(ctx, {
    provider: chosen.provider,
    model: chosen.model,
    apiKey,
    ...(given === '' ? {} : { baseUrl: given }),
    options: { ...chosen.options, body: { ...setMembers(chosen.body ?? {}) } },
  })
  const { temperature, maxTokens } = chosen
  const settings = {
    model: chosen.model,
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null || maxTokens <= 0 ? {} : { maxTokens }),
  }
  return withSettings(model, settings, chosen.streams)
}

interface Question {
  readonly input_value: Message | null
  readonly system_message: string
  readonly stream: boolean
}

/** Returns a model's answer to the input of its component. */
export async function answerInput(
  model: ChatModel,
  { input_value: input, system_message: system, stream }: Question,
  ctx: ComponentContext,
  icon: string,
): Promise<Message> {
  const messages = await questionMessages(input, system, ctx)
  return askModel(plainBadRequests(model), messages, { ctx, streams: stream, icon })
}

/** @throws TypeError `<label> is required` for a blank value */
export function requireText(label: string, value: string): string {
  const text = value.trim()
  if (text === '') throw new TypeError(`${label} is required`)
  return text
}

function setMembers(body: Readonly<Record<string, unknown>>) {
  const isSet = (value: unknown): boolean => value !== null && value !== 0 && value !== ''
  return Object.fromEntries(Object.entries(body).filter(([, value]) => isSet(value)))
}
