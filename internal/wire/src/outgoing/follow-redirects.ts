const MAX_REDIRECTS = 20
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that contain no credentials. Keys have names of the vendor's own, so that no list of them is complete. */
const HARMLESS = /^(accept|accept-language|cache-control|content-type|range|user-agent)$/i

type Init = NonNullable<Parameters<typeof fetch>[1]>

/**
 * Returns the headers for the target of a redirect: another origin gets none that may contain a key.
 */
export function headersAfter(from: string, to: string, given: Headers): Headers {
  if (new URL(from).origin === new URL(to).origin) return given
  return new Headers([...given].filter(([name]) => HARMLESS.test(name)))
}

/** True if a redirect turns a request into a GET without a body (Fetch standard). */
export function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

/**
 * Follows redirects one by one, so that `send` checks the address of each. Headers that may contain keys,
 * and bodies, stay with the origin they were sent to.
 * @param send sends one request and does not follow redirects itself
 */
export function followingRedirects(send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const given = input instanceof Request ? input : undefined
    if ((init.redirect ?? given?.redirect ?? 'follow') !== 'follow') return await send(input, init)
    let url = given?.url ?? new URL(input instanceof Request ? input.url : input).href
    let method = (init.method ?? given?.method ?? 'GET').toUpperCase()
    let headers = new Headers(init.headers ?? given?.headers)
    // The body of a Request can be read once only.
    let body = init.body ?? given?.body ?? null
    let response = await send(input, { ...init, redirect: 'manual' })
    for (let count = 0; ; count += 1) {
      const location = response.headers.get('location')
      if (location === null || !REDIRECTS.has(response.status)) return arrived(response, count)
      await response.body?.cancel()
      if (count === MAX_REDIRECTS) throw new TypeError('Too many redirects')
      const target = targetOf(location, url)
      if (becomesGet(response.status, method)) {
        method = 'GET'
        body = null
        headers.delete('content-type')
      }
      if (body !== null && (body instanceof ReadableStream || !isSameOrigin(url, target)))
        throw new TypeError('Refused a redirect that would resend the request body')
      headers = headersAfter(url, target, headers)
      url = target
      response = await send(url, nextInit(init, given, { method, headers, body }))
    }
  }
}

function nextInit(
  { signal: own }: Init,
  given: Request | undefined,
  parts: Pick<Init, 'method' | 'body'> & { readonly headers: Headers },
): Init {
  const signal = own ?? given?.signal ?? null
  // An array of pairs is understood by the fetch of every implementation.
  return { ...parts, headers: [...parts.headers], signal, redirect: 'manual' }
}

/** @throws TypeError for a target that is no web address */
function targetOf(location: string, base: string): string {
  const target = URL.canParse(location, base) ? new URL(location, base) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new TypeError('A redirect does not lead to a web address')
  return target.href
}

function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin
}

function arrived(response: Response, redirects: number): Response {
  return redirects === 0 ? response : Object.defineProperty(response, 'redirected', { value: true })
}
