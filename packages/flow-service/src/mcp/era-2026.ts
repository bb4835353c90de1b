import { isObject } from '@x/wire'
import { invalidParams, RpcCode, RpcError, type RpcRequest } from './json-rpc.ts'

export const VERSION_2026 = '2026-07-28'
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const VERSION_HEADER = 'mcp-protocol-version'

/** Methods with a parameter that is repeated in the `Mcp-Name` header. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['resources/read', 'uri'],
])

type Params = RpcRequest['params']

/** True if a message belongs to the stateless era. */
export function isOf2026(headers: Headers, params: Params): boolean {
  return metaOf(params)[VERSION_KEY] !== undefined || headers.get(VERSION_HEADER) === VERSION_2026
}

/**
 * The checks of the stateless era, in order.
 * @throws RpcError with status 400
 */
export function check2026(headers: Headers, { method, params }: RpcRequest): void {
  const meta = metaOf(params)
  const version = meta[VERSION_KEY]
  if (headers.get(VERSION_HEADER) === VERSION_2026) {
    for (const key of [VERSION_KEY, CAPABILITIES_KEY])
      if (meta[key] === undefined) throw badRequest(invalidParams(`params._meta lacks ${key}`))
  }
  if (version !== VERSION_2026) {
    const text = typeof version === 'string' ? version : (JSON.stringify(version) ?? 'none')
    const requested = text.slice(0, 100)
    throw new RpcError(RpcCode.unsupportedVersion, `Unsupported protocol version: ${requested}`, {
      status: 400,
      data: { supported: [VERSION_2026], requested },
    })
  }
  checkHeader(VERSION_HEADER, headers.get(VERSION_HEADER), version)
  checkHeader('Mcp-Method', headers.get('mcp-method'), method)
  const named = NAMED.get(method)
  const name: unknown = named === undefined ? undefined : params?.[named]
  // A parameter of the wrong type is rejected by its method.
  if (named !== undefined && typeof name === 'string')
    checkHeader('Mcp-Name', decodeHeader(headers.get('mcp-name')), name)
}

/** True if the client can show a form to its user. */
export function elicits(params: Params): boolean {
  const capabilities = metaOf(params)[CAPABILITIES_KEY]
  return isObject(capabilities) && isObject(capabilities['elicitation'])
}

function checkHeader(name: string, header: string | null, body: string): void {
  if (header === body) return
  const problem = header === null ? 'is missing' : 'differs from the body'
  throw new RpcError(RpcCode.headerMismatch, `The header ${name} ${problem}`, {
    status: 400,
    data: { mismatch: { header, body } },
  })
}

/** Values that cannot appear in a header are encoded as `=?base64?...?=`. */
function decodeHeader(value: string | null): string | null {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value ?? '')?.[1]
  if (encoded === undefined) return value
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}

function metaOf(params: Params): Record<string, unknown> {
  const meta: unknown = params?.['_meta']
  return isObject(meta) ? meta : {}
}

function badRequest({ code, message, data }: RpcError): RpcError {
  return new RpcError(code, message, { data, status: 400 })
}
