import { recordData, cacheParsedData } from '../base/document.ts'
import { recordResource } from '../resource/record-resource.ts'
import { UniqueConflictError } from '../store/errors.ts'
import type { ListedRecords, ListQuery } from '../store/list-query.ts'
import type { ResourceRecord, ResourceStore } from '../store/resources.ts'
import { requiredValue, listPage } from './list.ts'
import { byCreation, type UndoLog } from './table.ts'

/** Resources of one type, of all tenants. */
export interface ResourceState {
  readonly records: Map<string, ResourceRecord>
  /** Ids by unique values. */
  readonly keys: Map<string, string>
}

export function createResourceState(): ResourceState {
  return { records: new Map(), keys: new Map() }
}

/** In-memory resources of a host's own type, for tests and trials. */
export function createMemoryResourceStore(): Required<Omit<ResourceStore, 'snapshot'>> {
  return resourceStore(createResourceState(), { push: () => 0 })
}

/** The same, with an undo log for the writes of a transaction. */
export function resourceStore(
  { records, keys }: ResourceState,
  undo: Pick<UndoLog, 'push'>,
): Required<Omit<ResourceStore, 'snapshot'>> {
  const placeOf = (tenant: string, id: string): string => JSON.stringify([tenant, id])
  const keysOf = ({ tenant, uniqueKeys }: ResourceRecord): [string, string][] =>
    Object.entries(uniqueKeys).map(([name, key]) => [JSON.stringify([tenant, name, key]), name])

  const swap = (place: string, before?: ResourceRecord, after?: ResourceRecord): void => {
    if (before !== undefined) for (const [key] of keysOf(before)) keys.delete(key)
    if (after === undefined) records.delete(place)
    else {
      records.set(place, after)
      for (const [key] of keysOf(after)) keys.set(key, after.id)
    }
  }
  const put = (place: string, before?: ResourceRecord, after?: ResourceRecord): void => {
    for (const [key, name] of after === undefined ? [] : keysOf(after)) {
      const holder = keys.get(key)
      if (holder !== undefined && holder !== after?.id) {
        throw new UniqueConflictError(`resource.${name}`)
      }
    }
    swap(place, before, after)
    undo.push(() => swap(place, after, before))
  }
  const list = (tenant: string, query: ListQuery): ListedRecords<ResourceRecord> => {
    const id = requiredValue(query.filter, 'id')
    const candidates = [...records.values()]
      .filter((record) => record.tenant === tenant && (id === undefined || record.id === id))
      .toSorted(byCreation)
    return listPage(candidates, query, (record) => recordResource(record))
  }

  return {
    async get(tenant, id) {
      const record = records.get(placeOf(tenant, id))
      return record === undefined ? null : copy(record)
    },
    async list(tenant, query) {
      const page = list(tenant, query)
      return { ...page, records: page.records.map(copy) }
    },
    async insert(tenant, record) {
      put(placeOf(tenant, record.id), undefined, copy({ ...record, tenant }))
    },
    async update(tenant, record, expectedVersion) {
      const place = placeOf(tenant, record.id)
      const before = records.get(place)
      if (before?.version !== expectedVersion) return false
      put(place, before, copy({ ...record, tenant }))
      return true
    },
    async remove(tenant, id) {
      const place = placeOf(tenant, id)
      const before = records.get(place)
      if (before === undefined) return false
      put(place, before)
      return true
    },
  }
}

function copy(record: ResourceRecord): ResourceRecord {
  const { created, lastModified } = record
  const twin = { ...record, created: new Date(created), lastModified: new Date(lastModified) }
  cacheParsedData(twin, recordData(record))
  return twin
}
