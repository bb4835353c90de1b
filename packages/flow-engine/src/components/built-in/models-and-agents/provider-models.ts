import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { modelAddress } from '../../../outgoing/model-address.ts'
import { openFetch } from '../../../outgoing/open-fetch.ts'
import { readAnswer } from '../../../models/read-answer.ts'
import type { RefreshContext } from '../../define/refresh-context.ts'

export const googleModels = [
  'gemini-1.5-pro',
  'gemini-1.5-flash',
  'gemini-1.5-flash-8b',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.0-flash-lite',
  'gemini-2.0-flash',
  'gemini-exp-1206',
  'gemini-2.0-flash-thinking-exp-01-21',
  'learnlm-1.5-pro-experimental',
  'gemma-2-2b',
  'gemma-2-9b',
  'gemma-2-27b',
] as const

const MAX_LIST_BYTES = 1024 * 1024

/** Lists the models of an Ollama server; empty if it cannot be reached or there is no `fetch`. */
export async function listOllamaModels(given: unknown, ctx: RefreshContext): Promise<string[]> {
  const { fetch, environment } = ctx.services
  if (fetch === undefined || typeof given !== 'string' || !/^https?:\/\//.test(given)) return []
  const { url = given, trusted } = modelAddress('Ollama', given, environment)
  const send = trusted ? openFetch(fetch) : fetch
  try {
    const root = trimSlashes(url).replace(/\/v1$/, '')
    const response = await send(`${root}/api/tags`, { signal: ctx.signal })
    if (!response.ok) return []
    const body: unknown = JSON.parse(await readAnswer(response, MAX_LIST_BYTES))
    const models = isObject(body) && Array.isArray(body.models) ? body.models.filter(isObject) : []
    return models.map(({ name }) => name).filter((name) => typeof name === 'string')
  } catch {
    return []
  }
}
