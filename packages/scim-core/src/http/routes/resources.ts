import { notFound } from '../../errors.ts'
import { readPatchBody } from '../../patch/normalize.ts'
import {
  createProjection,
  type Projection,
  type ProjectionRequest,
} from '../../resource/project.ts'
import { versionTag } from '../../resource/present.ts'
import { matchesTag } from '../../rules/call.ts'
import { showRecords } from '../../rules/lists.ts'
import type { ResourceTypeName } from '../../schema/registry.ts'
import type { GroupRecord } from '../../store/groups.ts'
import type { UserRecord } from '../../store/users.ts'
import type { Exchange, Routes } from '../exchange.ts'
import { readProjection } from '../list-query.ts'
import { NO_CONTENT, resourceReply, type Reply } from '../reply.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

interface Target {
  readonly type: ResourceTypeName
  readonly id: string
}

/** POST /Users, POST /Groups (SC-26). */
export async function createResource(
  routes: Routes,
  exchange: Exchange,
  type: ResourceTypeName,
): Promise<Reply> {
  const request = readProjection(exchange.query, routes.rules.config.limits)
  const rules = type === 'User' ? routes.users : routes.groups
  const record = await rules.create(exchange.call, exchange.body)
  return shown(routes, exchange, { type, record, request, status: 201 })
}

/** GET, PUT, PATCH and DELETE of one resource. */
export function serveResource(routes: Routes, exchange: Exchange, target: Target): Promise<Reply> {
  switch (exchange.method) {
    case 'PUT':
      return replaceResource(routes, exchange, target)
    case 'PATCH':
      return patchResource(routes, exchange, target)
    case 'DELETE':
      return deleteResource(routes, exchange, target)
    default:
      return getResource(routes, exchange, target)
  }
}

async function getResource(
  routes: Routes,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const { store, etag, limits } = routes.rules.config
  const { call, request: http } = exchange
  const request = readProjection(exchange.query, limits)
  const withGroups = type === 'User' && projectionOf(routes, type, request).includes('groups')
  const record = await (type === 'User' ? store.users : store.groups).get(call.tenant, id, {
    withGroups,
  })
  if (record === null) throw notFound(type, id)
  if (type === 'User') call.trace.userName = 'userName' in record ? record.userName : null
  const held = etag ? http.headers.get('if-none-match') : null
  if (held !== null && matchesTag(held, record.version)) {
    return { status: 304, body: null, headers: { etag: versionTag(record.version) } }
  }
  return shown(routes, exchange, { type, record, request, status: 200 })
}

async function replaceResource(
  routes: Routes,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const request = readProjection(exchange.query, routes.rules.config.limits)
  const rules = type === 'User' ? routes.users : routes.groups
  const record = await rules.replace(exchange.call, id, exchange.body)
  return shown(routes, exchange, { type, record, request, status: 200 })
}

async function patchResource(
  routes: Routes,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const { config } = routes.rules
  const { call, body } = exchange
  const request = readProjection(exchange.query, config.limits)
  const rules = type === 'User' ? routes.users : routes.groups
  const record = await rules.patch(call, id, () => readPatchBody(body, config.quirks))
  if (type === 'Group' && !isNarrowed(request) && (await isLarge(routes, exchange, id))) {
    if (!config.etag) return NO_CONTENT
    return { ...NO_CONTENT, headers: { ...NO_CONTENT.headers, etag: versionTag(record.version) } }
  }
  return shown(routes, exchange, { type, record, request, status: 200 })
}

/** D12: a group with too many members to send back unasked. */
async function isLarge(routes: Routes, { call }: Exchange, id: string): Promise<boolean> {
  const { patchBodyMembers, store } = routes.rules.config
  if (patchBodyMembers === 0) return true
  return (await store.members.count(call.tenant, id)) > patchBodyMembers
}

function isNarrowed({ attributes = [], excludedAttributes = [] }: ProjectionRequest): boolean {
  return attributes.length + excludedAttributes.length > 0
}

async function deleteResource(
  routes: Routes,
  { call }: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  await (type === 'User' ? routes.users : routes.groups).delete(call, id)
  return NO_CONTENT
}

/** A resource as an answer, with its address and version (SC-8, SC-61). */
async function shown(
  routes: Routes,
  exchange: Exchange,
  answer: {
    readonly type: ResourceTypeName
    readonly record: UserRecord | GroupRecord
    readonly request: ProjectionRequest
    readonly status: number
  },
): Promise<Reply> {
  const { type, record, request, status } = answer
  const { config } = routes.rules
  const { etag } = config
  const { call } = exchange
  const projection = projectionOf(routes, type, request)
  // What was written is answered, however large it is.
  const membersPerAnswer = READING.has(exchange.method)
    ? config.limits.membersPerAnswer
    : Number.POSITIVE_INFINITY
  const texts = showRecords(routes.rules, call, { records: [record], projection, membersPerAnswer })
  const [text = ''] = texts instanceof Promise ? await texts : texts
  return resourceReply(status, text, {
    location: call.presenter.location(type, record.id),
    etag: etag ? versionTag(record.version) : null,
  })
}

const plain = new WeakMap<Routes, Map<ResourceTypeName, Projection>>()

/** The projection of a request; that of a request without one is made once. */
function projectionOf(
  routes: Routes,
  type: ResourceTypeName,
  request: ProjectionRequest,
): Projection {
  const { schemas, quirks } = routes.rules.config
  const make = (): Projection =>
    createProjection(request, schemas[type], quirks.unprefixedExtension)
  if (isNarrowed(request)) return make()
  const known = plain.get(routes) ?? new Map<ResourceTypeName, Projection>()
  plain.set(routes, known)
  const projection = known.get(type) ?? make()
  known.set(type, projection)
  return projection
}
