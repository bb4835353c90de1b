import { isObject } from '@x/wire'

/** Id of a request: a string or an integer (JSON-RPC 2.0 as MCP narrows it). */
export type RpcId = string | number

/** A request that expects a response. */
export interface RpcRequest {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  /** Null if they are present but not an object. */
  readonly params: Readonly<Record<string, unknown>> | null
}

/** A message that expects no response. */
export interface RpcNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export type RpcMessage = RpcRequest | RpcNotification | { readonly kind: 'response' }

/** Error codes of JSON-RPC 2.0 and MCP. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

/** An error that is returned as a JSON-RPC error object. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  /** HTTP status of the response. */
  readonly status: number

  constructor(
    code: number,
    message: string,
    { data, status = 200 }: { data?: unknown; status?: number } = {},
  ) {
    super(message)
    this.code = code
    this.data = data
    this.status = status
  }
}

/**
 * Parses one JSON-RPC message; batches are not supported.
 * @throws RpcError -32600
 */
export function parseRpcMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) throw invalid('Batches are not supported: send one message per request')
  if (!isObject(value)) throw invalid('A message is a JSON object')
  const { jsonrpc, id, method, params } = value
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  if (id !== undefined && !isRpcId(id)) throw invalid('id must be a string or an integer')
  if (method === undefined && id !== undefined && ('result' in value || 'error' in value))
    return { kind: 'response' }
  if (typeof method !== 'string') throw invalid('method must be a string')
  const object = params === undefined ? {} : isObject(params) ? params : null
  return id === undefined
    ? { kind: 'notification', method, params: object ?? {} }
    : { kind: 'request', id, method, params: object }
}

/** The id of a request, even of an otherwise invalid one; null if it has none. */
export function readRpcId(value: unknown): RpcId | null {
  const id: unknown = isObject(value) ? value['id'] : null
  return isRpcId(id) ? id : null
}

/** A success response. */
export function rpcResult(id: RpcId, result: object): object {
  return { jsonrpc: '2.0', id, result }
}

/** An error response. */
export function rpcError(id: RpcId | null, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RpcCode.invalidParams, message, { data })
}

function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || Number.isInteger(id)
}

function invalid(message: string): RpcError {
  return new RpcError(RpcCode.invalidRequest, `Invalid Request: ${message}`, { status: 400 })
}
