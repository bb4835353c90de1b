import type { LookUp } from '@x/wire'
import { builtInModule } from '../base/built-in-module.ts'
import { ANSWER_BYTES, ANSWER_MS } from './answer.ts'
import { receiverGuard } from './target-url.ts'

/** The part of `fetch` used for deliveries. */
export type DeliveryFetch = (url: string, init: DeliveryRequest) => Promise<Response>

export interface DeliveryRequest {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

type Lookup = LookUp<{ readonly all?: boolean }>

/** The parts of Node's modules used by a guarded request. */
interface HttpModule {
  readonly Agent: new (options: { readonly keepAlive: boolean }) => object
  request(url: string, options: object, onResponse: (response: Incoming) => void): Outgoing
}
interface Incoming extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  destroy(): void
}
interface Outgoing {
  on(event: 'error', listener: (error: Error) => void): void
  end(body: string): void
}

/**
 * The `fetch` used for deliveries. On Node it checks every address it connects to after name resolution, so
 * that a name cannot resolve into the host's own network; elsewhere the runtime's `fetch` is used and the
 * host must guard it. Redirects are never followed.
 */
export function createGuardedFetch(allowLoopback: boolean): DeliveryFetch {
  const send = openTransport({ keepAlive: true, allowLoopback }, toResponse)
  if (send === undefined) return fetch
  return (url, { method, headers, body, signal }) => {
    const length = String(new TextEncoder().encode(body).length)
    return send(url, { method, headers: { ...headers, 'content-length': length }, signal }, body)
  }
}

const DOCUMENT_BYTES = 1_048_576

/**
 * The `fetch` for public documents of others, such as keys: GET, guarded in the same way, with the first
 * mebibyte of the body.
 */
export function createGuardedGet(): (url: string, init?: RequestInit) => Promise<Response> {
  const send = openTransport({ keepAlive: false, allowLoopback: false }, async (incoming) => {
    const body = await readStart(incoming, DOCUMENT_BYTES)
    const status = Math.max(200, incoming.statusCode ?? 502)
    return new Response(status === 204 || status === 304 ? null : new Blob(body), { status })
  })
  if (send === undefined) return fetch
  return (url, { headers, signal } = {}) => {
    const sent = { method: 'GET', headers: Object.fromEntries(new Headers(headers)) }
    return send(url, { ...sent, ...(signal != null && { signal }) }, '')
  }
}

/** Undefined where Node's modules are absent. */
function openTransport(
  { keepAlive, allowLoopback }: { readonly keepAlive: boolean; readonly allowLoopback: boolean },
  read: (incoming: Incoming) => Promise<Response>,
): ((url: string, init: object, body: string) => Promise<Response>) | undefined {
  const http = builtInModule('node:http') as HttpModule | undefined
  const https = builtInModule('node:https') as HttpModule | undefined
  const dns = builtInModule('node:dns') as { readonly lookup: Lookup } | undefined
  if (http === undefined || https === undefined || dns === undefined) return undefined
  const agents = new Map([http, https].map((one) => [one, new one.Agent({ keepAlive })]))
  const guard = allowLoopback ? {} : { lookup: receiverGuard.lookup(dns.lookup) }
  return (url, init, body) =>
    new Promise((resolve, reject) => {
      const transport = url.startsWith('http:') ? http : https
      const options = { ...init, agent: agents.get(transport), ...guard }
      const request = transport.request(url, options, (incoming) => {
        read(incoming).then(resolve, reject)
      })
      request.on('error', reject)
      request.end(body)
    })
}

async function toResponse(incoming: Incoming): Promise<Response> {
  const { statusCode: status = 502 } = incoming
  const headers = headersOf(incoming)
  // The body of a successful response is only read so that its connection can be reused.
  const reading = readStart(incoming)
  if (status >= 200 && status < 300) return new Response(null, { status, headers })
  const hasBody = status >= 200 && status !== 304
  const body = hasBody ? new Blob(await reading) : null
  return new Response(body, { status: Math.max(200, status), headers })
}

/** The first bytes of a body; one that is long or slow is ended. Never rejects. */
async function readStart(
  incoming: Incoming,
  most = ANSWER_BYTES,
): Promise<Uint8Array<ArrayBuffer>[]> {
  AbortSignal.timeout(ANSWER_MS).addEventListener('abort', () => incoming.destroy())
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for await (const chunk of incoming) {
      chunks.push(new Uint8Array(chunk.slice(0, most - size)))
      size += chunk.length
      if (size >= most) break
    }
  } catch {
    // The status decides about the delivery, whatever happens to the connection.
  } finally {
    if (size >= most) incoming.destroy()
  }
  return chunks
}

function headersOf({ headers: given }: Incoming): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}
