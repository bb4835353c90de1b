import { readRecord } from '../rules/read-record.ts'
import type { AnyRecord, Service } from '../rules/service.ts'
import { readListMembers } from '../http/list-query.ts'
import { listText } from '../http/list-text.ts'
import { invalidValue } from '../base/errors.ts'
import { PATCH_URN, readPatchBody, type PatchOperation } from '../patch/normalize.ts'
import { wholeText } from '../resource/body-text.ts'
import { createProjection } from '../resource/project.ts'
import type { Subject } from '../rules/audit.ts'
import type { Call } from '../rules/call.ts'
import { pageRequest } from '../rules/list-request.ts'
import { runAudited } from '../rules/run-audited.ts'
import { listType, prepareQuery, showRecords, type TypeQuery } from '../rules/lists.ts'
import { schemaOf, type ResourceTypeName } from '../schema/registry.ts'
import type { KeysetPosition } from '../store/list-query.ts'
import { assertOutsideHook, hookOwnerOf } from '../store/hooks.ts'

/** Attributes of every resource. */
export interface ScimResource {
  readonly schemas: readonly string[]
  readonly id: string
  readonly externalId?: string
  readonly meta: {
    readonly resourceType: string
    readonly created: string
    readonly lastModified: string
    readonly location: string
    readonly version?: string
  }
  readonly [attribute: string]: unknown
}

export interface UserResource extends ScimResource {
  readonly userName: string
  readonly active?: boolean
}

export interface GroupResource extends ScimResource {
  readonly displayName: string
  readonly members?: readonly { readonly value: string; readonly display?: string }[]
}

/** RFC 7644 section 3.4.2. */
export interface ListResponse<R> {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly R[]
  /** Where the next page starts, for `after`; absent after the last one. */
  readonly next?: string
}

/** The parameters of a list (RFC 7644 section 3.4.2). */
export interface ListParameters {
  readonly filter?: string
  readonly sortBy?: string
  readonly sortOrder?: 'ascending' | 'descending'
  readonly startIndex?: number
  readonly count?: number
  readonly attributes?: readonly string[]
  readonly excludedAttributes?: readonly string[]
  /** `next` of the page before, of the same list without `sortBy`; a page costs the same wherever it is. */
  readonly after?: string
  /**
   * With a filter, `totalResults` is counted no further than to one more than this; of more matches, the store may
   * list no more than so many. Default: without a bound.
   */
  readonly countUpTo?: number
}

/**
 * In-process access to one resource type; every method rejects with the ScimError that HTTP would return.
 */
export interface ScimResources<R> {
  create(tenant: string, input: unknown): Promise<R>
  /** null if it does not exist. */
  get(tenant: string, id: string): Promise<R | null>
  list(tenant: string, query?: ListParameters): Promise<ListResponse<R>>
  replace(tenant: string, id: string, input: unknown): Promise<R>
  patch(tenant: string, id: string, operations: readonly PatchOperation[]): Promise<R>
  delete(tenant: string, id: string): Promise<void>
}

/** The JSON parsed here was created by this package for the requested type. */
export function createInProcess<R>(service: Service, type: ResourceTypeName): ScimResources<R> {
  const { schemas, quirks, limits } = service.config
  const writes = service.writesOf(type)
  const whole = createProjection({}, schemaOf(schemas, type), quirks)

  const show = async (call: Call, record: AnyRecord): Promise<R> => {
    const [text = 'null'] = await showRecords(service, call, {
      records: [record],
      projection: whole,
    })
    return JSON.parse(await wholeText(text)) as R
  }
  const subject = (op: Subject['op'], resourceId: string | null = null): Subject => ({
    op,
    resourceType: type,
    resourceId,
  })

  return {
    create: (tenant, input) =>
      perform(service, { tenant, subject: subject('create'), status: 201 }, async (call) =>
        show(call, await writes.create(call, input)),
      ),

    get: (tenant, id) =>
      perform(service, { tenant, subject: subject('read', id), status: 200 }, async (call) => {
        const record = await readRecord(service, call, { type, id })
        return record === null ? null : show(call, record)
      }),

    list: (tenant, parameters = {}) =>
      perform(service, { tenant, subject: subject('list'), status: 200 }, async (call) => {
        const request = readListMembers({ ...parameters }, limits)
        const { startIndex, offset, limit } = pageRequest(request, service.config)
        const query = prepareQuery(service, call, { type, request, root: false })
        const { after, countUpTo } = parameters
        const place = after === undefined ? { offset } : { after: readPlace(after, query.sort) }
        const page = await listType(service, call, { query, ...place, limit, countUpTo })
        const text = await wholeText(listText(page, `,"startIndex":${startIndex}`))
        const list = JSON.parse(text) as ListResponse<R>
        const { last } = page
        const isOver = last === undefined || page.texts.length < limit || query.sort !== null
        return isOver ? list : { ...list, next: `${last.created.getTime()} ${last.id}` }
      }),

    replace: (tenant, id, input) =>
      perform(service, { tenant, subject: subject('replace', id), status: 200 }, async (call) =>
        show(call, await writes.replace(call, id, input)),
      ),

    patch: (tenant, id, operations) =>
      perform(service, { tenant, subject: subject('patch', id), status: 200 }, async (call) =>
        show(
          call,
          await writes.patch(call, id, () => readPatchBody(patchBody(operations), quirks)),
        ),
      ),

    delete: (tenant, id) =>
      perform(service, { tenant, subject: subject('delete', id), status: 204 }, (call) =>
        writes.delete(call, id),
      ),
  }
}

const PLACE = /^(\d{1,15}) (.+)$/s

/** @throws ScimError invalid_value */
function readPlace(text: string, sort: TypeQuery['sort']): KeysetPosition {
  const [, created, id] = PLACE.exec(text) ?? []
  if (id === undefined || sort !== null) throw invalidValue('after must be the next of a page.')
  return { created: new Date(Number(created)), id, key: null }
}

/** The body that contains the operations over HTTP. */
function patchBody(operations: readonly PatchOperation[]): object {
  return { schemas: [PATCH_URN], Operations: operations }
}

/** The name of a call for error messages: `users.list`. */
function methodOf({ op, resourceType }: Subject): string {
  const owner =
    resourceType === 'User' ? 'users' : resourceType === 'Group' ? 'groups' : 'resources'
  return `${owner}.${op === 'read' ? 'get' : op}`
}

/** Runs an operation as HTTP would, including its audit entry. @throws ScimError, ScimReentryError */
async function perform<T>(
  service: Service,
  {
    tenant,
    subject,
    status,
  }: { readonly tenant: string; readonly subject: Subject; readonly status: number },
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const { runtime, store } = service.config
  assertOutsideHook(hookOwnerOf(store), methodOf(subject))
  const call = service.createCall({
    tenant,
    actor: null,
    requestId: runtime.uuid(),
    context: {},
    now: runtime.now(),
    ifMatch: null,
    isInProcess: true,
  })
  const { result, error } = await runAudited(
    service,
    { subject, call, statusOf: () => status },
    () => work(call),
  )
  if (error !== undefined) throw error
  return result
}
