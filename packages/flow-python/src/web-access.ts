import { isObject } from '@x/wire'

/** Answers requests made with `requests`, `httpx`, `urllib` and similar libraries. */
export type WebAccess = (question: unknown, signal: AbortSignal) => Promise<unknown>

const MB = 1024 * 1024
const LIMITS = { requests: 50, answerBytes: 16 * MB, timeoutMs: 30_000 }

/** A failed request; `kind` selects the class of the Python error. */
class WebError extends Error {
  readonly kind: 'blocked' | 'timeout' | 'connection' | 'refused'

  constructor(kind: WebError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * Sends the requests of one call through the host's guarded fetch, limited to 50 requests, 16 MB per
 * response, and 30 s unless the code asks for less.
 */
export function createWebAccess(guarded: typeof fetch | undefined): WebAccess {
  let count = 0
  return async (question, signal) => {
    if (guarded === undefined) throw new WebError('blocked', 'network access is not allowed here')
    count += 1
    if (count > LIMITS.requests)
      throw new WebError('refused', `more than ${LIMITS.requests} requests`)
    const { method, url, headers, body, follow, timeout } = isObject(question) ? question : {}
    const address = addressOf(url)
    const ms = typeof timeout === 'number' && timeout > 0 ? timeout * 1000 : LIMITS.timeoutMs
    const late = AbortSignal.timeout(Math.min(ms, LIMITS.timeoutMs))
    try {
      const response = await guarded(address, {
        method: typeof method === 'string' ? method : 'GET',
        headers: pairsOf(headers),
        redirect: follow === false ? 'manual' : 'follow',
        signal: AbortSignal.any([signal, late]),
        ...(typeof body === 'string' ? { body: Buffer.from(body, 'base64') } : {}),
      })
      return {
        status: response.status,
        reason: response.statusText,
        url: response.url === '' ? address.href : response.url,
        redirected: response.redirected,
        headers: headersOf(response),
        body: Buffer.from(await readBody(response)).toString('base64'),
      }
    } catch (error) {
      throw late.aborted ? new WebError('timeout', 'Read timed out.') : asWebError(error, address)
    }
  }
}

function addressOf(url: unknown): URL {
  const text = typeof url === 'string' ? url : ''
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new WebError('connection', `Invalid URL ${JSON.stringify(text)}`)
  }
  return address
}

function pairsOf(headers: unknown): [string, string][] {
  if (!Array.isArray(headers)) return []
  return headers.filter(Array.isArray).map((pair) => [String(pair[0]), String(pair[1])])
}

function headersOf(response: Response): [string, string][] {
  const cookies = response.headers
    .getSetCookie()
    .map((value): [string, string] => ['set-cookie', value])
  return [...[...response.headers].filter(([name]) => name !== 'set-cookie'), ...cookies]
}

async function readBody(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > LIMITS.answerBytes)
      throw new WebError('refused', 'the response is larger than 16 MB')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function asWebError(error: unknown, { hostname, host }: URL): WebError {
  if (error instanceof WebError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'AddressBlockedError') {
    return new WebError('blocked', `${hostname} is not an allowed address`)
  }
  return new WebError('connection', `${host} cannot be reached`)
}
