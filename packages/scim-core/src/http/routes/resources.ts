import { notFound } from '../../base/errors.ts'
import { readPatchBody } from '../../patch/normalize.ts'
import {
  createProjection,
  type Projection,
  type ProjectionRequest,
} from '../../resource/project.ts'
import type { BodyText } from '../../resource/body-text.ts'
import { versionTag } from '../../resource/present.ts'
import { matchesTag } from '../../rules/entity-tag.ts'
import { showRecords } from '../../rules/lists.ts'
import { schemaOf, type ResourceTypeName } from '../../schema/registry.ts'
import { readRecord } from '../../rules/read-record.ts'
import type { AnyRecord, Service } from '../../rules/service.ts'
import type { Exchange } from '../exchange.ts'
import { readProjection } from '../list-query.ts'
import { NO_CONTENT, resourceReply, type Reply } from '../reply.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

interface Target {
  readonly type: ResourceTypeName
  readonly id: string
}

/** POST /Users, POST /Groups. */
export async function createResource(
  service: Service,
  exchange: Exchange,
  type: ResourceTypeName,
): Promise<Reply> {
  const request = readProjection(exchange.query, service.config.limits)
  const rules = service.writesOf(type)
  const record = await rules.create(exchange.call, exchange.body)
  return await replyWithRecord(service, exchange, { type, record, request, status: 201 })
}

/** GET, PUT, PATCH and DELETE of one resource. */
export function serveResource(
  service: Service,
  exchange: Exchange,
  target: Target,
): Promise<Reply> {
  switch (exchange.method) {
    case 'PUT':
      return replaceResource(service, exchange, target)
    case 'PATCH':
      return patchResource(service, exchange, target)
    case 'DELETE':
      return deleteResource(service, exchange, target)
    default:
      return getResource(service, exchange, target)
  }
}

async function getResource(
  service: Service,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const { etag, limits } = service.config
  const { call, request: http } = exchange
  const request = readProjection(exchange.query, limits)
  const withGroups = type === 'User' && projectionOf(service, type, request).includes('groups')
  const record = await readRecord(service, call, { type, id, withGroups })
  if (record === null) throw notFound(type, id)
  if (type === 'User') call.trace.userName = 'userName' in record ? record.userName : null
  const held = etag ? http.headers.get('if-none-match') : null
  if (held !== null && matchesTag(held, record.version)) {
    return { status: 304, body: null, headers: { etag: versionTag(record.version) } }
  }
  return await replyWithRecord(service, exchange, { type, record, request, status: 200 })
}

async function replaceResource(
  service: Service,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const request = readProjection(exchange.query, service.config.limits)
  const rules = service.writesOf(type)
  const record = await rules.replace(exchange.call, id, exchange.body)
  return await replyWithRecord(service, exchange, { type, record, request, status: 200 })
}

async function patchResource(
  service: Service,
  exchange: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  const { config } = service
  const { call, body } = exchange
  const request = readProjection(exchange.query, config.limits)
  const rules = service.writesOf(type)
  const record = await rules.patch(call, id, () => readPatchBody(body, config.quirks))
  if (type === 'Group' && !isNarrowed(request) && (await isLarge(service, exchange, id))) {
    if (!config.etag) return NO_CONTENT
    return { ...NO_CONTENT, headers: { ...NO_CONTENT.headers, etag: versionTag(record.version) } }
  }
  return await replyWithRecord(service, exchange, { type, record, request, status: 200 })
}

/** D12: a group with too many members to return unrequested. */
async function isLarge(service: Service, { call }: Exchange, id: string): Promise<boolean> {
  const { patchBodyMembers, store } = service.config
  if (patchBodyMembers === 0) return true
  const upTo = patchBodyMembers + 1
  return (await store.members.count(call.tenant, id, upTo)) >= upTo
}

function isNarrowed({ attributes = [], excludedAttributes = [] }: ProjectionRequest): boolean {
  return attributes.length + excludedAttributes.length > 0
}

async function deleteResource(
  service: Service,
  { call }: Exchange,
  { type, id }: Target,
): Promise<Reply> {
  await service.writesOf(type).delete(call, id)
  return NO_CONTENT
}

/** Responds with a resource, its location and version. */
function replyWithRecord(
  service: Service,
  exchange: Exchange,
  answer: {
    readonly type: ResourceTypeName
    readonly record: AnyRecord
    readonly request: ProjectionRequest
    readonly status: number
  },
): Promise<Reply> | Reply {
  const { type, record, request, status } = answer
  const { config } = service
  const { etag } = config
  const { call } = exchange
  const projection = projectionOf(service, type, request)
  // The result of a write is returned whatever its size.
  const membersPerAnswer = READING.has(exchange.method)
    ? config.limits.membersPerAnswer
    : Number.POSITIVE_INFINITY
  const texts = showRecords(service, call, { records: [record], projection, membersPerAnswer })
  const replyOf = ([text = '']: readonly BodyText[]): Reply =>
    resourceReply(status, text, {
      location: call.presenter.location(type, record.id),
      etag: etag ? versionTag(record.version) : null,
    })
  return texts instanceof Promise ? texts.then(replyOf) : replyOf(texts)
}

function projectionOf(
  { config }: Service,
  type: ResourceTypeName,
  request: ProjectionRequest,
): Projection {
  const { schemas, quirks } = config
  return createProjection(request, schemaOf(schemas, type), quirks)
}
