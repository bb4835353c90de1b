import { recordResource } from '../resource/record-resource.ts'
import type { ResourceRecord, ResourceStore } from '../store/resources.ts'
import { requiredValue, listPage } from './list.ts'
import { byCreation, type StoredRecord } from './table.ts'

/** An entry of a catalogue: `id` and the attributes of its type, extensions under their URN. */
export interface CatalogueEntry {
  readonly id: string
  readonly externalId?: string
  /** Default 1970-01-01. */
  readonly created?: Date
  /** Default `created`. */
  readonly lastModified?: Date
  /** Default 1. */
  readonly version?: number
  readonly [attribute: string]: unknown
}

const MAX_ENTRIES = 10_000
const EPOCH = new Date(0)

/**
 * Serves an array of plain objects as the read-only resources of a type. `load` is called once per
 * request. Throws a RangeError for more than 10,000 entries.
 */
export function createCatalogueStore(
  load: (tenant: string) => readonly CatalogueEntry[] | Promise<readonly CatalogueEntry[]>,
): ResourceStore {
  const snapshot = async (tenant: string): Promise<ResourceStore> => {
    const entries = await load(tenant)
    if (entries.length > MAX_ENTRIES) {
      throw new RangeError(`A catalogue has at most ${MAX_ENTRIES} entries`)
    }
    return snapshotOf(tenant, entries)
  }
  return {
    get: async (tenant, id) => (await snapshot(tenant)).get(tenant, id),
    list: async (tenant, query) => (await snapshot(tenant)).list(tenant, query),
    snapshot,
  }
}

/** The entries of one request. Records are created only for entries that are shown. */
function snapshotOf(tenant: string, entries: readonly CatalogueEntry[]): ResourceStore {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const records = new Map<string, ResourceRecord>()
  const recordWith = (id: string): ResourceRecord | null => {
    const entry = byId.get(id)
    if (entry === undefined) return null
    const record = records.get(id) ?? recordOf(tenant, entry)
    records.set(id, record)
    return record
  }
  return {
    get: async (_tenant, id) => recordWith(id),
    async list(_tenant, query) {
      const id = requiredValue(query.filter, 'id')
      const wanted = id === undefined ? [...byId.values()] : [byId.get(id)].filter(isThere)
      const candidates = wanted.map(placeOf).toSorted(byCreation)
      const page = listPage(candidates, query, (place) => {
        const record = recordWith(place.id)
        return record === null ? {} : recordResource(record)
      })
      return { ...page, records: page.records.map((place) => recordWith(place.id)).filter(isThere) }
    },
  }
}

/** The sort key of an entry. */
function placeOf({ id, externalId, created = EPOCH, version = 1 }: CatalogueEntry): StoredRecord {
  return { id, externalId: externalId ?? null, created, version }
}

function isThere<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}

function recordOf(tenant: string, entry: CatalogueEntry): ResourceRecord {
  const { id, externalId, created = EPOCH, lastModified = created, version = 1, ...data } = entry
  return {
    tenant,
    id,
    externalId: externalId ?? null,
    uniqueKeys: {},
    data: JSON.stringify(data),
    created,
    lastModified,
    version,
  }
}
