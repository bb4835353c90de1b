import type { ResourceRecord, ResourceStore } from '../store/resources.ts'
import { createMemoryResourceStore } from './resources.ts'

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
 * A list of plain objects as the resources of a type, for reading only (SH-39). `load` is called once for
 * each request. More than 10,000 entries are a RangeError.
 */
export function createCatalogueStore(
  load: (tenant: string) => readonly CatalogueEntry[] | Promise<readonly CatalogueEntry[]>,
): ResourceStore {
  const snapshot = async (tenant: string): Promise<ResourceStore> => {
    const entries = await load(tenant)
    if (entries.length > MAX_ENTRIES) {
      throw new RangeError(`A catalogue has at most ${MAX_ENTRIES} entries`)
    }
    const { get, list, insert } = createMemoryResourceStore()
    for (const entry of entries) {
      await insert(tenant, recordOf(tenant, entry))
    }
    return { get, list }
  }
  return {
    get: async (tenant, id) => (await snapshot(tenant)).get(tenant, id),
    list: async (tenant, query) => (await snapshot(tenant)).list(tenant, query),
    snapshot,
  }
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
