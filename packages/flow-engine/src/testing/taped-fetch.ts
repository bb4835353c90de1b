import { FlowError } from '../errors.ts'
import { MAX_BYTES } from './tape.ts'

/** Never recorded. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
])
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['key', 'api_key', 'token', 'access_token'])
/** Transport headers, which are not recorded. */
const TRANSPORT: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'date',
])

interface AnswerJson {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A string, or base64 for binary data. */
  readonly body?: string
  readonly base64?: string
}

/** A complete HTTP response. */
export interface TapedExchange {
  readonly json: AnswerJson
  readonly url: string
}

/** The key of a request: method, URL, headers and body, without secrets. */
export async function toRequestJson(
  request: Request,
): Promise<{ readonly request: unknown; readonly body: Uint8Array<ArrayBuffer> | null }> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = bytes.length === 0 ? null : bytes
  return {
    request: {
      method: request.method,
      url: withoutSecrets(request.url),
      ...(body === null ? {} : bodyJson(body)),
    },
    body,
  }
}

export async function readExchange(response: Response): Promise<TapedExchange> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const headers = [...response.headers].filter(
    ([name]) => !SECRET_HEADERS.has(name) && !TRANSPORT.has(name),
  )
  const { status, url } = response
  return { json: { status, headers: Object.fromEntries(headers), ...bodyJson(bytes) }, url }
}

export function toResponse({
  json: { status, headers, body, base64 },
  url,
}: TapedExchange): Response {
  const isEmpty = [101, 204, 205, 304].includes(status)
  const bytes = base64 === undefined ? (body ?? '') : Uint8Array.from(atob(base64), codeOf)
  const response = new Response(isEmpty ? null : bytes, { status, headers })
  return Object.defineProperty(response, 'url', { value: url })
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0

/** @throws FlowError `limit_exceeded` over 1 MiB */
function bodyJson(bytes: Uint8Array): { readonly body?: string; readonly base64?: string } {
  if (bytes.length > MAX_BYTES)
    throw new FlowError('limit_exceeded', `A body on a tape has at most ${MAX_BYTES} bytes`)
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')) }
  }
}

function withoutSecrets(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  for (const name of Array.from(url.searchParams.keys()))
    if (SECRET_PARAMETERS.has(name.toLowerCase())) url.searchParams.delete(name)
  url.searchParams.sort()
  return url.href
}
