import type { Embedder } from '@x/flow-engine'
import { findEmbedder } from '@x/flow-engine/models'
import { hostEmbeds } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'

/** Settings for an embedder created by a provider's component. */
export interface ChosenEmbedder {
  /** Display name of the component, for error messages. */
  readonly displayName: string
  readonly provider: string
  readonly model: string
  readonly apiKey: string | null
  /** True if the server may work without a key. */
  readonly keyOptional?: boolean
  readonly baseUrl?: string
  /** Additional client settings. */
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Creates the embedder of a provider with the OpenAI API.
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
