import { parseFilter } from '../filter/parse.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { resolveFilter } from '../filter/resolve.ts'
import { fold } from '../base/fold.ts'
import { findPath, toAttributePath, withValueSub } from '../schema/find-path.ts'
import { createSchemas } from '../schema/registry.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'

/** The test runner functions used by the suite (vitest, node:test, jest ...). */
export interface TestFunctions {
  readonly describe: (name: string, define: () => void) => unknown
  readonly it: (name: string, run: () => Promise<void> | void) => unknown
  readonly beforeEach: (run: () => Promise<void> | void) => unknown
  readonly afterEach: (run: () => Promise<void> | void) => unknown
}

/** A store under test. */
export interface StoreSubject<Store> {
  /** Shown in test titles. */
  readonly name: string
  /** Creates an empty store for each test. */
  readonly create: () => Store | Promise<Store>
  /** Disposes of a store created by `create`. */
  readonly destroy?: (store: Store) => void | Promise<void>
}

/** A SCIM store under test. */
export interface ScimStoreSubject extends StoreSubject<ScimStore> {
  /** The store supports concurrent callers. Default true. */
  readonly concurrent?: boolean
}

/** One file of the suite. */
export type StoreSpec = (t: TestFunctions, store: () => ScimStore) => void

export const TENANT = 'acme'
export const OTHER_TENANT = 'globex'
export const BASE_URL = 'https://host.example/scim/v2'

const START = Date.UTC(2031, 4, 1, 9)

/** A moment `offset` milliseconds after the first. */
export function moment(offset: number): Date {
  return new Date(START + offset)
}

/** A user whose id, name and creation time are derived from `n`. */
export function userRecord(
  n: number,
  fields: Partial<UserRecord> & { data?: string } = {},
): UserRecord {
  const userName = fields.userName ?? `user${n}@corp.example`
  return {
    tenant: TENANT,
    id: `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    externalId: null,
    userName,
    userNameKey: fold(userName),
    active: true,
    data: '{}',
    created: moment(n),
    lastModified: moment(n),
    version: 1,
    deletedAt: null,
    ...fields,
  }
}

/** A group derived from `n`. */
export function groupRecord(n: number, fields: Partial<GroupRecord> = {}): GroupRecord {
  const displayName = fields.displayName ?? `Group ${n}`
  return {
    tenant: TENANT,
    id: `20000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    externalId: null,
    displayName,
    displayNameKey: fold(displayName),
    uniqueKey: fold(displayName),
    data: '{}',
    created: moment(n),
    lastModified: moment(n),
    version: 1,
    ...fields,
  }
}

const SCHEMAS = createSchemas({
  extensions: [
    {
      urn: 'urn:example:badge',
      name: 'Badge',
      description: 'For the tests of stores.',
      resourceType: 'User',
      required: false,
      attributes: [
        { name: 'level', type: 'integer' },
        { name: 'weight', type: 'decimal' },
        { name: 'issued', type: 'dateTime' },
        { name: 'tags', multiValued: true },
        { name: 'code', caseExact: true },
      ],
    },
  ],
})

/** A filter in the form passed to stores; one that is constant for all resources is rejected. */
export function userFilter(text: string): ResolvedFilter {
  return resolved(text, 'User')
}

export function groupFilter(text: string): ResolvedFilter {
  return resolved(text, 'Group')
}

function resolved(text: string, type: 'User' | 'Group'): ResolvedFilter {
  const filter = resolveFilter(parseFilter(text), SCHEMAS[type], { baseUrl: BASE_URL })
  if (typeof filter === 'boolean') throw new TypeError(`${text} is ${filter} for every resource`)
  return filter
}

/** A user attribute to sort by. */
export function userPath(name: string): AttributePath {
  const [attribute = '', sub = null] = name.split('.')
  const found = findPath(
    SCHEMAS.User,
    { urn: null, name: attribute, sub },
    { unprefixedExtension: true },
  )
  if (found === undefined) throw new TypeError(`Users have no ${name}`)
  return toAttributePath(withValueSub(found))
}

/** Collects an async iterable. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}
