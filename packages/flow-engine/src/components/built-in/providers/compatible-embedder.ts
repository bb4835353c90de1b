import type { Embedder } from '../../../models/chat-model.ts'
import { findEmbedder, hostEmbeds } from '../../../models/providers.ts'
import type { ComponentContext } from '../../define/context.ts'

/** The request for vectors by a component of one provider (MO-20). */
export interface ChosenEmbedder {
  /** Display name of the component, for errors. */
  readonly displayName: string
  readonly provider: string
  readonly model: string
  readonly apiKey: string | null
  /** The server may need no key. */
  readonly keyOptional?: boolean
  readonly baseUrl?: string
  /** Further settings of the client. */
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * The embedder of a provider that speaks the OpenAI protocol.
 * @throws TypeError `<display name> API key is required`
 */
export async function compatibleEmbedder(
  ctx: ComponentContext,
  { displayName, provider, model, options = {}, ...chosen }: ChosenEmbedder,
): Promise<Embedder> {
  const apiKey = chosen.apiKey ?? ''
  if (apiKey === '' && chosen.keyOptional !== true && !hostEmbeds(ctx.services)) {
    throw new TypeError(`${displayName} API key is required`)
  }
  const given = chosen.baseUrl?.trim() ?? ''
  return findEmbedder(ctx, {
    provider,
    model,
    apiKey,
    ...(given === '' ? {} : { baseUrl: given }),
    options,
  })
}
