import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { requireSuccess, vendorRequest } from './vendor-request.ts'

const BASE = 'https://api.assemblyai.com/v2'

export type Transcript = Readonly<Record<string, unknown>>

/** Sends a request to AssemblyAI; the key is sent without a scheme. */
export async function askAssemblyAi(
  path: string,
  { key, body }: { readonly key: string; readonly body?: unknown },
  ctx: ComponentContext,
): Promise<Transcript> {
  const answer = await vendorRequest(
    {
      url: `${BASE}${path}`,
      headers: { authorization: key },
      ...(body === undefined ? {} : { body, repeats: false }),
      secrets: [key],
    },
    ctx,
  )
  const { body: found } = requireSuccess('AssemblyAI', answer)
  return isObject(found) ? found : {}
}

/** Polls until the transcript is completed or has failed, or time runs out. */
export async function pollTranscript(
  id: string,
  { key, everyMs, untilMs }: { key: string; everyMs: number; untilMs: number },
  ctx: ComponentContext,
): Promise<Transcript> {
  const end = ctx.runtime.now().getTime() + untilMs
  for (;;) {
    const found = await askAssemblyAi(`/transcript/${encodeURIComponent(id)}`, { key }, ctx)
    if (found.status === 'completed' || found.status === 'error') return found
    if (ctx.runtime.now().getTime() + everyMs > end) return found
    await ctx.runtime.sleep(everyMs, ctx.signal)
  }
}
