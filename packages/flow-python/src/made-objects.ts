import { isObject } from '@x/wire'
import type { ChatModel, ComponentContext, Embedder, ModelSpec } from '@x/flow-engine'
import { findChatModel, findEmbedder } from '@x/flow-engine/models'
import { withSettings } from '@x/flow-engine/internal'

type Settings = Parameters<typeof withSettings>[1]

/**
 * Creates the model or embedder that Python code describes by provider and arguments; the rules for keys and
 * addresses are those of the built-in components.
 * @throws Error if the provider is unknown, the key is missing or the address is not allowed
 */
export async function createObject(
  given: Record<string, unknown>,
  ctx: ComponentContext,
): Promise<ChatModel | Embedder> {
  const spec = readSpec(given)
  if (given['kind'] === 'embeddings') return findEmbedder(ctx, spec)
  const { model: _model, ...settings } = readSettings(given)
  const made = await findChatModel(ctx, spec)
  return withSettings(
    made,
    { ...settings, ...(spec.model === '' ? {} : { model: spec.model }) },
    false,
  )
}

function readSpec(given: Record<string, unknown>): ModelSpec {
  const { timeout } = given
  const options = {
    ...pick(given, ['body', 'headers', 'query'], isObject),
    ...pick(given, ['maxRetries', 'dimensions', 'chunkSize'], isNumber),
    ...pick(given, ['deployment', 'apiVersion', 'projectId'], isText),
    ...(isNumber(timeout) ? { timeoutMs: timeout * 1000 } : {}),
  }
  return {
    provider: String(given['provider']),
    model: isText(given['model']) ? given['model'] : '',
    options,
    ...pick(given, ['apiKey', 'baseUrl'], isText),
  }
}

/** Reads the settings of a request; values of another kind are left out. */
export function readSettings(given: unknown): Settings {
  if (!isObject(given)) return {}
  const { responseFormat: format } = given
  return {
    ...pick(given, ['model'], isText),
    ...pick(given, ['temperature', 'maxTokens', 'seed'], isNumber),
    ...(format === 'json' ? { responseFormat: format } : {}),
    ...(isObject(format) && isText(format['name']) && isObject(format['schema'])
      ? { responseFormat: { name: format['name'], schema: format['schema'] } }
      : {}),
  }
}

function pick<K extends string, T>(
  given: Record<string, unknown>,
  names: readonly K[],
  fits: (value: unknown) => value is T,
): { [P in K]?: T } {
  const found = names.flatMap((name) => {
    const value = given[name]
    return fits(value) ? [[name, value] as const] : []
  })
  return Object.fromEntries(found) as { [P in K]?: T }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
