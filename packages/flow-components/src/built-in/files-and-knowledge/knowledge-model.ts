import type { Embedder, ProviderKey } from '@x/flow-engine'
import { chosenEmbedder } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import type { TemplateField } from '@x/flow-engine'
import { providerSetting } from '@x/flow-engine/internal'
import type { RefreshContext } from '@x/flow-engine'
import type { KnowledgeBase, KnowledgeService } from '@x/flow-engine'

/** Embedding models available to new knowledge bases, with their providers. */
export const knowledgeModels: readonly { readonly model: string; readonly provider: string }[] = [
  { model: 'text-embedding-3-small', provider: 'OpenAI' },
  { model: 'text-embedding-3-large', provider: 'OpenAI' },
  { model: 'text-embedding-ada-002', provider: 'OpenAI' },
  { model: 'sentence-transformers/all-MiniLM-L6-v2', provider: 'HuggingFace' },
  { model: 'sentence-transformers/all-mpnet-base-v2', provider: 'HuggingFace' },
  { model: 'embed-english-v3.0', provider: 'Cohere' },
  { model: 'embed-multilingual-v3.0', provider: 'Cohere' },
]

export function providerOf(model: string): string {
  return knowledgeModels.find((known) => known.model === model)?.provider ?? 'Custom'
}

/** @throws TypeError if the host has no knowledge bases */
export function knowledgeService(services: {
  readonly knowledge?: KnowledgeService
}): KnowledgeService {
  if (services.knowledge !== undefined) return services.knowledge
  throw new TypeError('This server has no knowledge bases')
}

/** @throws TypeError for a base that does not exist */
export async function openKnowledgeBase(
  name: string,
  ctx: ComponentContext,
): Promise<KnowledgeBase> {
  const scope = ctx.userId === undefined ? {} : { userId: ctx.userId }
  const base = await knowledgeService(ctx.services).get(name, scope)
  if (base !== null) return base
  throw new TypeError(`Metadata not found for knowledge base: ${name}. Ensure it has been indexed.`)
}

/**
 * Returns the embedding model of a base. The key is taken from the component, then the base, then the user's
 * variable.
 */
export async function knowledgeEmbedder(
  { embedding }: KnowledgeBase,
  { apiKey, chunkSize }: { readonly apiKey: ProviderKey; readonly chunkSize?: number },
  ctx: ComponentContext,
): Promise<Embedder> {
  const { provider, model } = embedding
  const own = await providerSetting(apiKey, '', ctx)
  return chosenEmbedder(
    {
      picked: { name: model, provider, plain: false, reasons: false },
      older: true,
      apiKey: own === null ? (embedding.apiKey ?? null) : apiKey,
      options: chunkSize === undefined ? {} : { chunkSize },
    },
    ctx,
  )
}

/** Offers the existing bases and clears a selection that no longer exists. */
export async function offerBases(
  field: TemplateField | undefined,
  { services, userId }: RefreshContext,
): Promise<void> {
  if (field === undefined || services.knowledge === undefined) return
  const names = await services.knowledge.list(userId === undefined ? {} : { userId })
  field.options = names
  if (!names.includes(String(field.value))) field.value = null
}
