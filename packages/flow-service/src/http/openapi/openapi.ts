import { isObject } from '@x/wire'
import { z } from 'zod'
import { SERVICE_VERSION } from '../../services/base/status.ts'
import type { Auth, Route } from '../route/route.ts'
import type { RouteGroup } from '../routes/index.ts'

type Json = Record<string, unknown>

/** Parts of the OpenAPI document besides the operations. */
export interface OpenApiOptions {
  /** URLs of the service. Default `/`. */
  readonly servers?: readonly string[]
  readonly title?: string
}

const COMPONENTS = '#/components/schemas/'

/** The security requirements of each kind of credentials. */
const SECURITY: Readonly<Record<Auth, readonly Json[]>> = {
  none: [],
  optional: [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  public: [{ clientId: [] }],
  guest: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }, { clientId: [] }],
  visitor: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }, { clientId: [] }],
  webhook: [{}, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  user: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  superuser: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  key: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }],
  'bearer-key': [{ apiKeyBearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  openai: [{ apiKeyBearer: [] }, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  mcp: [{ apiKeyBearer: [] }, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  chat: [{ apiKeyBearer: [] }, { bearer: [] }, { apiKeyHeader: [] }, { session: [] }],
  agent: [{ apiKeyBearer: [] }, { bearer: [] }, { apiKeyHeader: [] }],
  session: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }, { session: [] }],
}

const SCHEMES = {
  bearer: {
    type: 'oauth2',
    flows: { password: { tokenUrl: '/api/v1/login', scopes: {} } },
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  apiKeyBearer: { type: 'http', scheme: 'bearer' },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'x-api-key' },
  session: { type: 'apiKey', in: 'cookie', name: 'access_token_lf' },
  clientId: { type: 'apiKey', in: 'cookie', name: 'client_id' },
}

/** Generates the OpenAPI 3.1 document of operations from the route table. */
export function createOpenApi(
  groups: readonly RouteGroup[],
  { servers = ['/'], title = 'Flow API' }: OpenApiOptions = {},
): Json {
  const schemas: Json = { ...FAILURES }
  const paths: Record<string, Json> = {}
  const ids = new Set<string>()
  for (const { name, routes } of groups) {
    for (const route of routes) {
      if (route.method === 'HEAD') continue
      const path = (paths[route.path] ??= {})
      const id = freeId(ids, route.summary)
      path[route.method.toLowerCase()] = {
        ...operation(route, schemas),
        operationId: id,
        tags: [name],
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, version: SERVICE_VERSION },
    servers: servers.map((url) => ({ url })),
    tags: groups.map(({ name }) => ({ name })),
    paths,
    components: { schemas, securitySchemes: SCHEMES },
  }
}

/** `Read Flows` becomes `read_flows`; a second operation with that name `read_flows_2`. */
function freeId(taken: Set<string>, summary: string): string {
  const base = summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  let id = base
  for (let k = 2; taken.has(id); k += 1) id = `${base}_${k}`
  taken.add(id)
  return id
}

function operation(route: Route, schemas: Json): Json {
  const parameters = [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
  ]
  return {
    summary: route.summary,
    ...(route.deprecated === true ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route, schemas),
    responses: responsesOf(route, schemas),
    security: SECURITY[route.auth],
  }
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  schemas: Json,
): Json[] {
  if (schema === undefined) return []
  const { properties, required } = toJsonSchema(schema, 'input', schemas)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || needed.includes(name),
    schema: value,
  }))
}

const FILE_FORM = {
  type: 'object',
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
  required: ['file'],
}

function bodyOf({ body: checked, consumes, describedBody }: Route, schemas: Json): Json {
  const body = checked ?? describedBody
  const required = body?.safeParse(undefined).success !== true
  const content = (type: string, schema: unknown): Json => ({
    requestBody: { required, content: { [type]: { schema } } },
  })
  if (consumes === 'multipart') return content('multipart/form-data', FILE_FORM)
  if (consumes === 'bytes') return content('*/*', {})
  if (body === undefined) return {}
  const type = consumes === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  return content(type, toJsonSchema(body, 'input', schemas))
}

function responsesOf(route: Route, schemas: Json): Json {
  const { status = 200, output, produces, auth } = route
  const type = produces ?? 'application/json'
  const schema = output === undefined ? {} : { schema: toJsonSchema(output, 'output', schemas) }
  const empty = status === 204 || status === 307
  const failure = (description: string, name: string): Json => ({
    description,
    content: { 'application/json': { schema: { $ref: COMPONENTS + name } } },
  })
  const checked = route.params ?? route.query ?? route.body
  return {
    [String(status)]: {
      description: 'Success',
      ...(empty ? {} : { content: { [type]: schema } }),
    },
    ...(auth === 'none' ? {} : { '401': failure('Bad credentials', 'Failure') }),
    ...(auth === 'none' ? {} : { '403': failure('Missing credentials or permission', 'Failure') }),
    ...(checked === undefined ? {} : { '422': failure('Malformed input', 'ValidationFailure') }),
    default: failure('Failure', 'Failure'),
  }
}

/** The schemas of error responses. */
const FAILURES: Json = {
  Failure: {
    type: 'object',
    properties: { detail: { description: 'A string, an array or an object.' } },
    required: ['detail'],
  },
  ValidationFailure: {
    type: 'object',
    properties: {
      detail: { type: 'array', items: { $ref: `${COMPONENTS}ValidationElement` } },
    },
    required: ['detail'],
  },
  ValidationElement: {
    type: 'object',
    properties: {
      type: { type: 'string' },
      loc: { type: 'array', items: { type: ['string', 'integer'] } },
      msg: { type: 'string' },
      input: {},
      ctx: { type: 'object' },
    },
    required: ['type', 'loc', 'msg', 'input'],
  },
}

/** Converts a schema to JSON Schema; named schemas are moved to the components once. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const {
    $schema: _dialect,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  }) as Json
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {})) {
    schemas[name] = renamed(definition)
  }
  const { id } = root
  if (typeof id !== 'string') return renamed(root) as Json
  schemas[id] = renamed(root)
  return { $ref: COMPONENTS + id }
}

/** Rewrites references from definitions to components and removes the ids added by zod. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed)
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === '$ref' && typeof inner === 'string') {
      return [[key, inner.replace('#/$defs/', COMPONENTS)]]
    }
    return (key === 'id' || key === '$id') && typeof inner === 'string'
      ? []
      : [[key, renamed(inner)]]
  })
  return Object.fromEntries(entries)
}
