import { becomesGet, headersAfter } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { sendRequest, type Answer, type RequestOptions } from '../../web/send-request.ts'

const MAX_REDIRECTS = 20
/** Maximum size of a response: 16 MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export interface Redirect {
  readonly url: string
  readonly status_code: number
}

export interface HttpExchange {
  readonly answer: Answer
  readonly redirects: readonly Redirect[]
}

/**
 * Sends a request and follows its redirects one by one, so that each is recorded and passes through the
 * host's fetch. As in other clients, 303 and a redirected POST become GET, and credentials are not sent to
 * another host.
 * @throws RequestError without a response, RangeError after 20 redirects
 */
export async function exchange(
  url: string,
  options: RequestOptions & { readonly method: string; readonly followRedirects: boolean },
  ctx: ComponentContext,
): Promise<HttpExchange> {
  const { followRedirects, ...first } = options
  const redirects: Redirect[] = []
  let request = { url, ...first }
  for (;;) {
    const { url: target, ...init } = request
    const answer = await sendRequest(
      target,
      { maxBytes: MAX_ANSWER_BYTES, ...init, redirect: 'manual' },
      ctx,
    )
    const location = answer.headers.get('location')
    if (!followRedirects || location === null || !REDIRECT.has(answer.status)) {
      return { answer, redirects }
    }
    if (redirects.length === MAX_REDIRECTS) {
      throw new RangeError(`more than ${MAX_REDIRECTS} redirects`)
    }
    redirects.push({ url: location, status_code: answer.status })
    request = redirected(request, answer.status, new URL(location, target).href)
  }
}

const REDIRECT = new Set([301, 302, 303, 307, 308])

type SentRequest = RequestOptions & { readonly url: string; readonly method: string }

function redirected(request: SentRequest, status: number, url: string): SentRequest {
  const isGet = request.method === 'GET' || status === 302 || becomesGet(status, request.method)
  const isHere = new URL(request.url).origin === new URL(url).origin
  if (!isGet && request.body !== undefined && !isHere)
    throw new RangeError('a redirect would send the body to another host')
  const kept = headersAfter(request.url, url, new Headers(request.headers))
  if (!isGet) return { ...request, url, headers: Object.fromEntries(kept) }
  if (request.method !== 'GET') kept.delete('content-type')
  const { body: _body, ...rest } = request
  return { ...rest, url, method: 'GET', headers: Object.fromEntries(kept) }
}
