import { withHeaders } from '@x/wire'
import { Refusal, refuse } from '../../refusal.ts'
import type { Once } from '../../services/runs/once.ts'

const KEY = /^[\x21-\x7E]{1,255}$/
const REPLAYED = ['idempotency-replayed', 'true'] as const

interface OnceCall {
  readonly request: Request
  readonly url: URL
  readonly caller: { readonly id: string }
}

/**
 * Answers a call that may carry an `Idempotency-Key`. The answer says whether an earlier request started its run.
 * @param content what the key stands for, besides the path
 * @param sender default: the caller
 * @throws Refusal 400 for an invalid key
 */
export async function answerOnce<Answer>(
  { request, url, caller }: OnceCall,
  content: readonly unknown[],
  work: (once: Once | undefined) => Promise<Answer>,
  { sender = caller.id, status = 200 }: { readonly sender?: string; readonly status?: number } = {},
): Promise<Answer | Response> {
  const key = request.headers.get('idempotency-key')
  if (key === null) return await work(undefined)
  if (!KEY.test(key)) throw refuse(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
  let isReplayed = false
  const once: Once = {
    sender,
    key,
    content: [request.method, url.pathname, ...content],
    replayed: () => void (isReplayed = true),
  }
  try {
    const answer = await work(once)
    if (!isReplayed) return answer
    const response = answer instanceof Response ? answer : Response.json(answer, { status })
    return withHeaders(response, [REPLAYED], { replace: true })
  } catch (error) {
    if (!isReplayed || !(error instanceof Refusal)) throw error
    const { detail, body, cause } = error
    const headers = { ...error.headers, [REPLAYED[0]]: REPLAYED[1] }
    throw refuse(error.status, detail, { headers, body, cause })
  }
}
