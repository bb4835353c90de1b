import type { ScimDocument } from '../base/document.ts'
import { ScimConfigError } from '../base/errors.ts'
import type { ScimScope } from '../base/principal.ts'
import type { ResourceTypeSchema } from '../schema/resource-type.ts'
import type { ResourceStore } from '../store/resources.ts'
import type { ScimStore } from '../store/scim-store.ts'

/** Operations on the resources of a type. */
export type ResourceOperation = 'get' | 'list' | 'create' | 'replace' | 'patch' | 'delete'

/** A host's own resource type (section 6). */
export interface ScimResourceType extends ResourceTypeSchema {
  /** The store of its resources. */
  readonly store: ResourceStore
  /** Default: all operations the store supports. */
  readonly operations?: readonly ResourceOperation[]
  /** A user attribute whose `value` is an id of this type, and the handling of other values. */
  readonly assignedBy?: {
    readonly attribute: string
    /** Default `keep`. */
    readonly onUnknown?: 'keep' | 'reject' | 'skip'
  }
  /**
   * Called in the transaction of a write, before required attributes are checked: returns the resource as it is
   * stored, or throws a `ScimError`. Default: as it was read.
   */
  readonly complete?: (
    document: ScimDocument,
    write: ResourceWrite,
  ) => ScimDocument | Promise<ScimDocument>
  /** Default: `users:read` and `users:write`. */
  readonly scopes?: { readonly read: ScimScope; readonly write: ScimScope }
}

/** The write that a resource is completed for. */
export interface ResourceWrite {
  readonly tenant: string
  readonly id: string
  readonly isNew: boolean
  /** The directory within the transaction. */
  readonly directory: ScimStore
  /** The resources of the type, within the transaction if it is of the same database. */
  readonly store: Pick<ResourceStore, 'get'>
}

/** Declares a resource type for `resourceTypes`; it is validated when a service is created. */
export function defineResourceType(type: ScimResourceType): ScimResourceType {
  return type
}

/** A type as a service uses it. */
export interface ServedType {
  readonly type: ScimResourceType
  readonly operations: ReadonlySet<ResourceOperation>
  readonly scopes: { readonly read: ScimScope; readonly write: ScimScope }
}

const NEEDS: Readonly<Record<ResourceOperation, keyof ResourceStore>> = {
  get: 'get',
  list: 'list',
  create: 'insert',
  replace: 'update',
  patch: 'update',
  delete: 'remove',
}
const ALL: readonly ResourceOperation[] = ['get', 'list', 'create', 'replace', 'patch', 'delete']

/** @throws ScimConfigError for an operation the store does not support */
export function servedType(type: ScimResourceType): ServedType {
  const { name, store } = type
  const has = (operation: ResourceOperation): boolean => store[NEEDS[operation]] !== undefined
  const operations = type.operations ?? ALL.filter(has)
  const missing = operations.find((operation) => !has(operation))
  if (missing !== undefined) {
    throw new ScimConfigError('resourceTypes', `${name}: the store cannot ${missing}`)
  }
  return {
    type,
    operations: new Set(operations),
    scopes: type.scopes ?? { read: 'users:read', write: 'users:write' },
  }
}
