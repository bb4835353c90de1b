import type { ScimContext } from '../base/principal.ts'

/** A response as seen by a client. */
export interface ScimAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; an empty object without a body. */
  readonly body: ScimBody
}

/** A body of any shape, for use in tests. */
export type ScimBody = Record<string, unknown> & { readonly id: string }

type Send = (
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ScimAnswer>

/** Calls a handler like an identity provider would, without a socket. */
export interface ScimClient {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ScimAnswer>
  delete(path: string, headers?: Readonly<Record<string, string>>): Promise<ScimAnswer>
  readonly post: Send
  readonly put: Send
  /** An array is sent as the operations of a PatchOp. */
  readonly patch: Send
  /** Any method; the body is sent unchanged. */
  send(method: string, path: string, init?: SendInit): Promise<ScimAnswer>
}

export interface SendInit {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface ScimClientOptions {
  /** Default `https://host.example/api/v1/scim/v2`. */
  readonly baseUrl?: string
  /** Sent as the bearer token. */
  readonly token?: string
  /** Passed to the handler with each request. */
  readonly context?: ScimContext
}

const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export function createScimClient(
  handler: (request: Request, context?: ScimContext) => Promise<Response>,
  options: ScimClientOptions = {},
): ScimClient {
  const { baseUrl = 'https://host.example/api/v1/scim/v2', token, context } = options
  const send = async (method: string, path: string, init: SendInit = {}): Promise<ScimAnswer> => {
    const request = new Request(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(init.body !== undefined && { 'content-type': 'application/scim+json' }),
        ...init.headers,
      },
      ...(init.body !== undefined && { body: init.body as string }),
    })
    const response = await handler(request, context)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parseBody(text) }
  }
  const withJson =
    (method: string): Send =>
    (path, body, headers) =>
      send(method, path, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(headers && { headers }),
      })
  return {
    send,
    get: (path, headers) => send('GET', path, headers && { headers }),
    delete: (path, headers) => send('DELETE', path, headers && { headers }),
    post: withJson('POST'),
    put: withJson('PUT'),
    patch: (path, body, headers) =>
      withJson('PATCH')(
        path,
        Array.isArray(body) ? { schemas: [PATCH_URN], Operations: body } : body,
        headers,
      ),
  }
}

/** Untyped, because tests inspect bodies freely. */
function parseBody(text: string): ScimBody {
  return (text === '' ? {} : JSON.parse(text)) as ScimBody
}
