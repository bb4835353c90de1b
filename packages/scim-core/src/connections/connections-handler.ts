import { isScimError, ScimError } from '../base/errors.ts'
import { readConnectionBody } from './connection-body.ts'
import type { ScimConnections } from './connections.ts'

export interface ConnectionsHandlerOptions {
  readonly connections: ScimConnections
  /** Where it is mounted, such as `/admin/scim`. */
  readonly basePath: string
  /** Who asks, and for which tenant; null is answered with 401. */
  readonly authorize: (
    request: Request,
  ) =>
    | { readonly tenant: string; readonly actor: string }
    | null
    | Response
    | Promise<{ readonly tenant: string; readonly actor: string } | null | Response>
  readonly onError?: (error: unknown) => void
}

type Body = Readonly<Record<string, unknown>>
type Answer = readonly [status: number, body: object | null]
type Operation = (scope: Scope) => Promise<Answer>

interface Scope {
  readonly connections: ScimConnections
  readonly tenant: string
  readonly id: string
  readonly part: string
  readonly body: () => Promise<Body>
}

/** The admin API of connections (SH-55), for the settings page of a host. */
export function createConnectionsHandler(
  options: ConnectionsHandlerOptions,
): (request: Request) => Promise<Response> {
  const { connections, onError = () => undefined } = options
  const base = options.basePath.replace(/\/$/, '')
  return async (request) => {
    try {
      const caller = await options.authorize(request)
      if (caller instanceof Response) return caller
      if (caller === null) return problem(401, 'unauthorized', 'Sign in first.')
      const found = findOperation(new URL(request.url).pathname, base)
      if (found === null) return problem(404, 'not_found', 'There is no such page.')
      const { operations, id, part } = found
      const operation = operations.get(request.method)
      if (operation === undefined) {
        const allow = [...operations.keys()].join(', ')
        return problem(405, 'method_not_allowed', 'The method is not offered.', { allow })
      }
      const { tenant } = caller
      const body = (): Promise<Body> => readConnectionBody(request)
      const [status, answer] = await operation({ connections, tenant, id, part, body })
      return reply(status, answer)
    } catch (error) {
      return failure(error, onError)
    }
  }
}

const methods = (...entries: readonly (readonly [string, Operation])[]) => new Map(entries)

const ROOT = methods(
  [
    'GET',
    async ({ connections, tenant }) => [200, { connections: await connections.list(tenant) }],
  ],
  [
    'POST',
    async ({ connections, tenant, body }) => {
      const { name, provider, settings, expiresAt } = await body()
      const created = await connections.create({
        tenant,
        name: name as string,
        provider: provider as 'other',
        ...(settings !== undefined && { settings: settings as object }),
        ...expiry(expiresAt),
      })
      return [201, created]
    },
  ],
)

const ONE = methods(
  [
    'GET',
    async ({ connections, tenant, id }) => {
      const connection = await connections.get(tenant, id)
      if (connection === null) throw new ScimError('not_found', 'The connection does not exist.')
      return [200, { connection }]
    },
  ],
  [
    'PATCH',
    async ({ connections, tenant, id, body }) => {
      const { name, enabled, settings } = await body()
      const connection = await connections.update(tenant, id, {
        ...(name !== undefined && { name: name as string }),
        ...(enabled !== undefined && { enabled: enabled as boolean }),
        ...(settings !== undefined && { settings: settings as object }),
      })
      return [200, { connection }]
    },
  ],
  [
    'DELETE',
    async ({ connections, tenant, id }) => {
      await connections.remove(tenant, id)
      return [204, null]
    },
  ],
)

const TOKENS = methods(
  [
    'GET',
    async ({ connections, tenant, id }) => {
      const tokens = await connections.listTokens(tenant, id)
      const shown = tokens.map((token) => ({
        id: token.id,
        label: token.label,
        created: token.created,
        expiresAt: token.expiresAt,
        revokedAt: token.revokedAt,
        lastUsedAt: token.lastUsedAt,
      }))
      return [200, { tokens: shown }]
    },
  ],
  [
    'POST',
    async ({ connections, tenant, id, body }) => {
      const { expiresAt, label } = await body()
      if (label !== undefined && typeof label !== 'string') {
        throw new TypeError('label must be a text')
      }
      const options = { ...expiry(expiresAt), ...(label !== undefined && { label }) }
      return [201, await connections.issueToken(tenant, id, options)]
    },
  ],
)

const TOKEN = methods([
  'DELETE',
  async ({ connections, tenant, id, part }) => {
    await connections.revokeToken(tenant, id, part)
    return [204, null]
  },
])

const ROTATE = methods([
  'POST',
  async ({ connections, tenant, id, part, body }) => {
    const { overlapSeconds } = await body()
    if (overlapSeconds === undefined) {
      return [201, await connections.rotateToken(tenant, id, part)]
    }
    if (typeof overlapSeconds !== 'number' || !(overlapSeconds >= 0)) {
      throw new TypeError('overlapSeconds must be a number of at least 0')
    }
    return [201, await connections.rotateToken(tenant, id, part, { overlapSeconds })]
  },
])

const CLIENTS = methods([
  'POST',
  async ({ connections, tenant, id, body }) => {
    const { jwks } = await body()
    const options = jwks === undefined ? {} : { jwks: jwks as { keys: never[] } }
    return [201, await connections.issueClient(tenant, id, options)]
  },
])

const CLIENT = methods([
  'DELETE',
  async ({ connections, tenant, id, part }) => {
    await connections.revokeClient(tenant, id, part)
    return [204, null]
  },
])

function findOperation(
  path: string,
  base: string,
): {
  readonly operations: ReadonlyMap<string, Operation>
  readonly id: string
  readonly part: string
} | null {
  if (path !== base && !path.startsWith(`${base}/`)) return null
  const parts = path
    .slice(base.length)
    .split('/')
    .filter((part) => part !== '')
  const [id = '', kind, part = '', last, more] = parts
  const operations = operationsOf(parts.length, kind, last)
  return operations === null || more !== undefined ? null : { operations, id, part }
}

function operationsOf(
  length: number,
  kind: string | undefined,
  last: string | undefined,
): ReadonlyMap<string, Operation> | null {
  if (length === 0) return ROOT
  if (length === 1) return ONE
  if (kind === 'tokens') {
    if (length === 2) return TOKENS
    if (length === 3) return TOKEN
    return last === 'rotate' ? ROTATE : null
  }
  if (kind !== 'clients') return null
  if (length === 2) return CLIENTS
  return length === 3 ? CLIENT : null
}

/** @throws TypeError */
function expiry(value: unknown): { readonly expiresAt?: Date } {
  if (value === undefined || value === null) return {}
  const at = new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(at.getTime())) throw new TypeError('expiresAt must be a time, as in RFC 3339')
  return { expiresAt: at }
}

function failure(error: unknown, onError: (error: unknown) => void): Response {
  if (error instanceof TypeError) return problem(400, 'invalid', error.message)
  if (isScimError(error)) {
    if (error.status === 404) return problem(404, 'not_found', error.detail)
    if (error.status === 409) return problem(409, 'conflict', error.detail)
  }
  onError(error)
  return problem(500, 'internal', 'Internal error')
}

function problem(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return reply(status, { error: { code, message } }, headers)
}

function reply(
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const all = { 'cache-control': 'no-store', ...headers }
  if (body === null) return new Response(null, { status, headers: all })
  return Response.json(body, { status, headers: all })
}
