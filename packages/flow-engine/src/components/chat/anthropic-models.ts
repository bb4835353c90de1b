import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'

import { anthropicModels } from '../../models/model-names.ts'
import { modelAddress } from '../../outgoing/model-address.ts'
import { openFetch } from '../../outgoing/open-fetch.ts'

import { readAnswer } from '../../models/read-answer.ts'

import type { NodeTemplate } from '../../graph/flow/node-json.ts'
import type { RefreshContext } from '../define/refresh-context.ts'

export const DEFAULT_URL = 'https://api.anthropic.com'

const MAX_LIST_BYTES = 1024 * 1024

const LISTING_FIELDS = ['base_url', 'model_name', 'tool_model_enabled', 'api_key']

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
