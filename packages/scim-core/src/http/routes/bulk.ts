import { invalidSyntax, ScimError, quoteValue } from '../../base/errors.ts'
import { memberOf } from '../../base/member-of.ts'
import { readPatchBody } from '../../patch/normalize.ts'
import type { ScimConfig } from '../../options/options.ts'
import { versionTag } from '../../resource/present.ts'
import type { Subject } from '../../rules/audit.ts'
import {
  collectReferences,
  planBulk,
  splitReferring,
  withIds,
  type BulkEntry,
  type BulkOperation,
} from '../../rules/bulk-plan.ts'
import { bulkOrder } from '../../rules/bulk-order.ts'
import { createTrace, type Call } from '../../rules/call.ts'
import { readUrns } from '../../schema/read-resource.ts'
import { runAudited } from '../../rules/run-audited.ts'
import { errorBody } from '../error-response.ts'
import type { Service } from '../../rules/service.ts'
import type { Exchange } from '../exchange.ts'
import type { Arrived } from '../caller-revalidation.ts'
import { readJsonBody } from '../json-body.ts'
import { reply, type Reply } from '../reply.ts'
import { assertScopes, scopeOf } from '../scopes.ts'

const BULK = 'urn:ietf:params:scim:api:messages:2.0:Bulk'
/** A bulk body adds three levels around its data. */
const WRAPPING = 3

type Result = Readonly<Record<string, unknown>>

/** State of a request while its operations run. */
interface Run {
  readonly service: Service
  readonly exchange: Omit<Exchange, 'body'>
  /** Ids of created resources, by bulkId. */
  readonly ids: Map<string, string>
}

/** POST /Bulk (RFC 7644 section 3.7). */
export async function serveBulk(
  service: Service,
  opened: Omit<Exchange, 'body'>,
  arrived: Arrived,
): Promise<Reply> {
  const { bulk, limits } = service.config
  if (!bulk) throw new ScimError('not_implemented', 'Bulk operations are not supported.')
  const body = await readJsonBody(opened.request, {
    bytes: limits.bulkBytes,
    depth: limits.jsonDepth + WRAPPING,
  })
  const exchange = { ...opened, principal: await arrived() }
  const { operations, failOnErrors } = readBulkBody(body, limits.bulkOperations)
  const entries = planBulk(operations, typesByEndpoint(service.config))
  const results = await runAll({ service, exchange, ids: new Map() }, entries, failOnErrors)
  const processed = results.filter((result) => result !== undefined)
  return reply(200, JSON.stringify({ schemas: [`${BULK}Response`], Operations: processed }))
}

function readBulkBody(
  body: Readonly<Record<string, unknown>>,
  limit: number,
): { readonly operations: readonly unknown[]; readonly failOnErrors: number } {
  const schemas = memberOf(body, 'schemas')
  if (schemas === undefined || !readUrns(schemas).includes(`${BULK}Request`.toLowerCase())) {
    throw invalidSyntax(`The attribute schemas must contain ${BULK}Request.`)
  }
  const operations = memberOf(body, 'Operations')
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list.')
  if (operations.length > limit) {
    throw new ScimError('too_large', `A request may hold ${limit} operations.`)
  }
  const failOnErrors = memberOf(body, 'failOnErrors') ?? Number.MAX_SAFE_INTEGER
  if (!Number.isSafeInteger(failOnErrors) || Number(failOnErrors) < 1) {
    throw invalidSyntax('failOnErrors must be an integer of at least 1.')
  }
  return { operations, failOnErrors: Number(failOnErrors) }
}

/** Runs operations after those they depend on; results are in request order. */
async function runAll(
  run: Run,
  entries: readonly BulkEntry[],
  failOnErrors: number,
): Promise<readonly (Result | undefined)[]> {
  const results: (Result | undefined)[] = entries.map(() => undefined)
  const deferred: Deferred[] = []
  const order = bulkOrder(entries)
  let errors = 0
  const settle = (index: number, result: Result): boolean => {
    results[index] = result
    if (Number(result['status']) >= 300) errors += 1
    return errors >= failOnErrors
  }

  for (let next = order.next(); next !== undefined; next = order.next()) {
    const { index, isReady } = next
    const entry = entries[index]
    if (entry === undefined) continue
    const part = isReady ? null : splitReferring(entry.operation?.data)
    const result = await runEntry(run, entry, { data: part?.free })
    order.done(index)
    if (part !== null && result['status'] === '201') {
      deferred.push({ index, entry, result, referring: part.referring })
    }
    if (settle(index, result)) return results
  }
  for (const late of deferred) {
    if (settle(late.index, await runDeferred(run, late))) return results
  }
  return results
}

interface Deferred {
  readonly index: number
  readonly entry: BulkEntry
  readonly result: Result
  readonly referring: Readonly<Record<string, unknown>>
}

/** Sets the references of a resource that was created without them. */
async function runDeferred(run: Run, { entry, result, referring }: Deferred): Promise<Result> {
  const { operation, bulkId } = entry
  const id = run.ids.get(bulkId ?? '')
  if (operation === null || id === undefined) return result
  const patch: BulkOperation = { ...operation, method: 'PATCH', id, version: null, data: null }
  // Internally generated operations, which the tolerances for request bodies do not affect (SH-68).
  const operations = [{ op: 'add', value: referring }]
  const patched = await runEntry(run, { ...entry, operation: patch }, { operations })
  if (patched['status'] !== '200') return { ...patched, method: 'POST' }
  const { version = null } = patched
  return version === null ? result : { ...result, version }
}

/** Input that replaces the data of an operation. */
interface ReplacedInput {
  readonly data?: unknown
  /** PATCH operations not sent by the client. */
  readonly operations?: readonly unknown[]
}

/** Runs one operation in its own transaction and with its own audit entry. */
async function runEntry(run: Run, entry: BulkEntry, given: ReplacedInput): Promise<Result> {
  const { service, exchange } = run
  const { operation, method, bulkId } = entry
  const { config } = service
  const version = operation?.version ?? null
  const call: Call = {
    ...exchange.call,
    now: config.runtime.now(),
    ifMatch: config.etag ? version : null,
    trace: createTrace(),
  }
  const id = operation?.id == null ? null : String(withIds(operation.id, run.ids))
  const head = { ...(method !== null && { method }), ...(bulkId !== null && { bulkId }) }
  const location = (target: string): Result =>
    operation === null ? {} : { location: call.presenter.location(operation.type, target) }
  const data = given.data ?? given.operations ?? operation?.data
  call.trace.body = operation?.data
  const subject = subjectOf(operation, id)
  const { result, error } = await runAudited(
    service,
    { subject, call, statusOf: ({ status }: Done) => status },
    () =>
      runOperation(
        run,
        { ...entry, operation: operation && { ...operation, id, data } },
        { call, isPlain: given.operations !== undefined },
      ),
  )
  if (error !== undefined) {
    const place = id === null ? {} : location(id)
    return { ...head, ...place, status: String(error.status), response: errorBody(error) }
  }
  if (operation?.method === 'POST' && bulkId !== null) run.ids.set(bulkId, result.id)
  const tag = config.etag && result.version !== null ? { version: versionTag(result.version) } : {}
  return { ...head, ...location(result.id), ...tag, status: String(result.status) }
}

interface Done {
  readonly status: number
  readonly id: string
  readonly version: number | null
}

async function runOperation(
  run: Run,
  entry: BulkEntry,
  { call, isPlain }: { readonly call: Call; readonly isPlain: boolean },
): Promise<Done> {
  const { service, exchange, ids } = run
  const { operation, problem } = entry
  if (operation === null) throw problem ?? invalidSyntax('The operation cannot be read.')
  assertOffered(service.config, operation)
  assertScopes(exchange.principal, [scopeOf(service.config, operation.type, false)])
  assertResolved(run, operation)
  const rules = service.writesOf(operation.type)
  const data = withIds(operation.data, ids)
  const id = operation.id ?? ''
  switch (operation.method) {
    case 'POST': {
      const record = await rules.create(call, data)
      return { status: 201, id: record.id, version: record.version }
    }
    case 'PUT': {
      const { version } = await rules.replace(call, id, data)
      return { status: 200, id, version }
    }
    case 'PATCH': {
      const { quirks } = service.config
      const read = (): readonly unknown[] =>
        isPlain && Array.isArray(data) ? data : readPatchBody(data, quirks)
      const { version } = await rules.patch(call, id, read)
      return { status: 200, id, version }
    }
    case 'DELETE':
      await rules.delete(call, id)
      return { status: 204, id, version: null }
  }
}

/** A reference to something that was not created is a conflict. */
function assertResolved({ ids }: Run, { id, data }: BulkOperation): void {
  const references = new Set<string>()
  collectReferences([id, data], references)
  const missing = [...references].find((name) => !ids.has(name))
  if (missing !== undefined) {
    throw new ScimError(
      'bulk_conflict',
      `The bulkId ${quoteValue(missing)} refers to no operation.`,
    )
  }
}

/** @throws ScimError method_not_allowed */
function assertOffered({ types }: ScimConfig, { type, method }: BulkOperation): void {
  const needed = OPS[method]
  if (types.get(type)?.operations.has(needed) === false) {
    throw new ScimError('method_not_allowed', 'The endpoint does not know this method.')
  }
}

/** The writable types, by their endpoints in lower case. */
function typesByEndpoint({ schemas }: ScimConfig): ReadonlyMap<string, string> {
  return new Map(
    Object.values(schemas).map((schema) => [schema.endpoint.toLowerCase(), schema.resourceType]),
  )
}

const OPS = { POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const

function subjectOf(operation: BulkOperation | null, id: string | null): Subject {
  if (operation === null) return { op: 'other', resourceType: null, resourceId: null }
  return { op: OPS[operation.method], resourceType: operation.type, resourceId: id }
}
