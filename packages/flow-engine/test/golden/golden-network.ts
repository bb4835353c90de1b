import { STATUS_CODES } from 'node:http'
import type { HttpEntry } from './golden-case.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

/** A network that answers from a script and writes down what was asked. */
export function scriptedNetwork(entries: readonly HttpEntry[]) {
  const sent: SentRequest[] = []
  const waiting = entries.map((entry) => ({
    entry,
    left: entry.repeat === true ? Infinity : Number(entry.repeat ?? 1),
  }))

  const answer = async (request: Request): Promise<Response> => {
    const text = await request.clone().text()
    sent.push(await record(request))
    const asked = `${request.url} ${text}`
    const next = waiting.find(
      ({ entry, left }) => left > 0 && (entry.when === undefined || asked.includes(entry.when)),
    )
    if (next === undefined) return new Response('nothing fits', { status: 599 })
    next.left -= 1
    if (next.entry.drop === true) throw new TypeError('fetch failed')
    return respond(next.entry)
  }

  const fetchLike: typeof fetch = async (input, init) => {
    let request = new Request(input, init)
    let redirected = false
    for (let hops = 0; hops < 10; hops += 1) {
      request.signal.throwIfAborted()
      const response = await answer(request)
      const location = response.headers.get('location')
      const follows = response.status >= 300 && response.status < 400 && location !== null
      if (!follows || init?.redirect === 'manual') return located(response, request.url, redirected)
      redirected = true
      request = new Request(new URL(location, request.url), { method: 'GET' })
    }
    throw new TypeError('too many redirects')
  }
  return { fetch: fetchLike, sent }
}

function located(response: Response, url: string, redirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
  })
}

function respond({ status = 200, headers = {}, json, body, sse }: HttpEntry): Response {
  const statusText = STATUS_CODES[status] ?? ''
  if (sse !== undefined) {
    const lines = sse.map(
      (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
    )
    return new Response(lines.join(''), {
      status,
      statusText,
      headers: { 'content-type': 'text/event-stream', ...headers },
    })
  }
  if (json !== undefined) {
    return new Response(spaced(json), {
      status,
      statusText,
      headers: { 'content-type': 'application/json', ...headers },
    })
  }
  const type = { 'content-type': 'text/html; charset=utf-8' }
  const empty = status === 204 || status === 304
  return new Response(empty ? null : (body ?? ''), {
    status,
    statusText,
    headers: { ...type, ...headers },
  })
}

/** JSON with `, ` and `: `, other characters than ASCII escaped. */
function spaced(value: unknown): string {
  return (JSON.stringify(value, null, 1) ?? 'null')
    .replaceAll(/([[{])\n\s*/g, '$1')
    .replaceAll(/\n\s*([\]}])/g, '$1')
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}

const SHOWN = new Set(['content-type', 'authorization', 'x-api-key', 'anthropic-version'])

async function record(request: Request): Promise<SentRequest> {
  const text = await request.clone().text()
  const headers = [...request.headers].filter(
    ([name]) => SHOWN.has(name) || name.startsWith('x-t-'),
  )
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    // plain text stays
  }
  return {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(headers),
    ...(text === '' ? {} : { body }),
  }
}
