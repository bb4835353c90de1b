import { builtInModule } from '../base/built-in-module.ts'
import { isClosedAddress } from './target-url.ts'

/** The part of `fetch` used for deliveries. */
export type DeliveryFetch = (url: string, init: DeliveryRequest) => Promise<Response>

export interface DeliveryRequest {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

interface Address {
  readonly address: string
  readonly family: number
}
type LookedUp = (error: Error | null, addresses?: string | Address[], family?: number) => void
type Lookup = (
  host: string,
  options: { readonly all?: boolean },
  callback: (error: Error | null, addresses: Address[]) => void,
) => void

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

/** Maximum bytes read of a response (SH-23). */
const ANSWER_BYTES = 65_536
/** Time to read the rest of a successful response, so that its connection can be reused. */
const DRAIN_MS = 1_000

/**
 * The `fetch` used for deliveries. On Node it checks every address it connects to after name resolution, so
 * that a name cannot resolve into the host's own network; elsewhere the runtime's `fetch` is used and the
 * host must guard it (SH-26). Redirects are never followed.
 */
export function createGuardedFetch(allowLoopback: boolean): DeliveryFetch {
  const http = builtInModule('node:http') as HttpModule | undefined
  const https = builtInModule('node:https') as HttpModule | undefined
  const dns = builtInModule('node:dns') as { readonly lookup: Lookup } | undefined
  if (http === undefined || https === undefined || dns === undefined) return fetch
  const agents = new Map([http, https].map((one) => [one, new one.Agent({ keepAlive: true })]))
  const lookup = allowLoopback ? undefined : guardedLookup(dns.lookup)

  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const transport = url.startsWith('http:') ? http : https
      const options = {
        method,
        headers: { ...headers, 'content-length': String(new TextEncoder().encode(body).length) },
        agent: agents.get(transport),
        signal,
        ...(lookup !== undefined && { lookup }),
      }
      const request = transport.request(url, options, (incoming) => {
        toResponse(incoming).then(resolve, reject)
      })
      request.on('error', reject)
      request.end(body)
    })
}

async function toResponse(incoming: Incoming): Promise<Response> {
  const { statusCode: status = 502 } = incoming
  // The body of a successful response is not needed.
  if (status >= 200 && status < 300) {
    void drain(incoming)
    return new Response(null, { status, headers: headersOf(incoming) })
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of incoming) {
    chunks.push(chunk.slice(0, ANSWER_BYTES - size))
    size += chunk.length
    if (size >= ANSWER_BYTES) {
      incoming.destroy()
      break
    }
  }
  const hasBody = status >= 200 && status !== 304
  const body = hasBody ? new Blob(chunks.map((chunk) => new Uint8Array(chunk))) : null
  return new Response(body, { status: Math.max(200, status), headers: headersOf(incoming) })
}

function headersOf({ headers: given }: Incoming): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}

/** Drains the rest, unless it is long or slow. */
async function drain(incoming: Incoming): Promise<void> {
  AbortSignal.timeout(DRAIN_MS).addEventListener('abort', () => incoming.destroy())
  let size = 0
  try {
    for await (const { length } of incoming) {
      size += length
      if (size >= ANSWER_BYTES) break
    }
  } catch {
    // The delivery has succeeded, whatever happens to the connection.
  } finally {
    if (size >= ANSWER_BYTES) incoming.destroy()
  }
}

/** All addresses of a name must be public, as it is unknown which one will be used. */
function guardedLookup(lookup: Lookup) {
  return (host: string, options: { readonly all?: boolean }, callback: LookedUp): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) {
        callback(error ?? new Error('The name of the receiver has no address'))
      } else if (addresses.some(({ address }) => isClosedAddress(address))) {
        callback(new Error('The name of the receiver points to a private address'))
      } else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
