import { isObject } from '@x/wire'
import { invalidSyntax, ScimError, quoteValue } from '../base/errors.ts'
import { memberOf } from '../base/member-of.ts'
import type { ResourceTypeName } from '../schema/registry.ts'

/** A valid operation of a bulk request. */
export interface BulkOperation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly type: ResourceTypeName
  /** May contain a reference; null for POST. */
  readonly id: string | null
  readonly bulkId: string | null
  readonly version: string | null
  readonly data: unknown
}

/** An operation of the request, or its error. */
export interface BulkEntry {
  readonly method: string | null
  readonly bulkId: string | null
  readonly operation: BulkOperation | null
  readonly problem: ScimError | null
  /** The bulkIds it refers to. */
  readonly references: ReadonlySet<string>
}

/** Parses the operations of a bulk request; errors stay with their operation. */
export function planBulk(
  operations: readonly unknown[],
  types: ReadonlyMap<string, ResourceTypeName>,
): readonly BulkEntry[] {
  const seen = new Set<string>()
  return operations.map((operation) => {
    const bulkId = isObject(operation) ? memberOf(operation, 'bulkId') : undefined
    const method = isObject(operation) ? memberOf(operation, 'method') : undefined
    const names = {
      method: typeof method === 'string' ? quoteValue(method) : null,
      bulkId: typeof bulkId === 'string' ? bulkId : null,
    }
    try {
      const read = readOperation(operation, { seen, types })
      const references = new Set<string>()
      collectReferences([read.id, read.data], references)
      return { ...names, operation: read, problem: null, references }
    } catch (error) {
      if (!(error instanceof ScimError)) throw error
      return { ...names, operation: null, problem: error, references: new Set<string>() }
    }
  })
}

function readOperation(
  operation: unknown,
  { seen, types }: { readonly seen: Set<string>; readonly types: ReadonlyMap<string, string> },
): BulkOperation {
  if (!isObject(operation)) throw invalidSyntax('An operation must be an object.')
  const method = readMethod(memberOf(operation, 'method'))
  const bulkId = memberOf(operation, 'bulkId')
  const version = memberOf(operation, 'version')
  if (method === 'POST') {
    if (typeof bulkId !== 'string' || bulkId === '') throw invalidSyntax('POST needs a bulkId.')
    if (seen.has(bulkId)) throw invalidSyntax(`The bulkId ${quoteValue(bulkId)} is given twice.`)
    seen.add(bulkId)
  }
  return {
    method,
    ...readPath(memberOf(operation, 'path'), method, types),
    bulkId: typeof bulkId === 'string' ? bulkId : null,
    version: typeof version === 'string' ? version : null,
    data: memberOf(operation, 'data'),
  }
}

function readMethod(value: unknown): BulkOperation['method'] {
  const method = typeof value === 'string' ? value.toUpperCase() : value
  if (method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE') {
    return method
  }
  throw invalidSyntax('The method must be POST, PUT, PATCH or DELETE.')
}

function readPath(
  value: unknown,
  method: BulkOperation['method'],
  types: ReadonlyMap<string, ResourceTypeName>,
): Pick<BulkOperation, 'type' | 'id'> {
  const [root, endpoint = '', id, more] = typeof value === 'string' ? value.split('/') : ['?']
  const type = types.get(`/${endpoint.toLowerCase()}`) ?? null
  const needsId = method !== 'POST'
  const hasId = id !== undefined && id !== ''
  if (root !== '' || type === null || more !== undefined || needsId !== hasId) {
    throw invalidSyntax('The path must be /Users or /Groups, with an id unless the method is POST.')
  }
  return { type, id: needsId ? (id ?? null) : null }
}

const REFERENCE = /bulkId:([^\s"'[\](),/]+)/g

/** Collects the bulkIds a value refers to. */
export function collectReferences(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') {
    for (const [, name] of value.matchAll(REFERENCE)) if (name !== undefined) into.add(name)
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectReferences(member, into)
  }
}

/** The ids that references resolve to. */
export type BulkIds = ReadonlyMap<string, string>

/** Replaces references by ids; unresolved ones are kept. */
export function withIds(value: unknown, ids: BulkIds): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(REFERENCE, (text, name: string) => ids.get(name) ?? text)
  }
  if (Array.isArray(value)) return value.map((member) => withIds(member, ids))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withIds(member, ids)]),
  )
}

/** Attributes accepted in a POST body but not written. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'schemas', 'meta', 'groups'])

/** Splits a body into attributes that contain references, and the rest. */
export function splitReferring(data: unknown): {
  readonly free: Readonly<Record<string, unknown>>
  readonly referring: Readonly<Record<string, unknown>>
} {
  const free: [string, unknown][] = []
  const referring: [string, unknown][] = []
  for (const entry of Object.entries(isObject(data) ? data : {})) {
    const names = new Set<string>()
    collectReferences(entry[1], names)
    if (names.size === 0) free.push(entry)
    else if (!READ_ONLY.has(entry[0].toLowerCase())) referring.push(entry)
  }
  return { free: Object.fromEntries(free), referring: Object.fromEntries(referring) }
}
