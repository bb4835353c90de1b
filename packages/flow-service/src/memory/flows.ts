import type { FlowQuery, FlowRecord, FlowTable } from '../store/flows.ts'
import { removeFlow, removeRecords } from './cascade.ts'
import { ownedRow, updateOwn } from './owned.ts'
import { copy, copyOrNull, sliceRows } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory flow table. */
export function createFlows(tables: MemoryTables): FlowTable {
  const { flows } = tables
  return {
    get: async (id) => copyOrNull(flows.get(id)),
    findByEndpointName: async (endpointName, userId) =>
      copyOrNull(
        flows.filter(
          (row) =>
            row.endpointName === endpointName && (userId === undefined || row.userId === userId),
        )[0],
      ),
    findByWebhookName: async (webhookName) =>
      copyOrNull(flows.filter((row) => row.webhookName === webhookName)[0]),
    async list(query) {
      const { items, total } = sliceRows(ordered(flows.filter(matching(query)), query.order), query)
      return { items: items.map((row) => withData(row, query.data)), total }
    },
    names: async (userId, prefix) =>
      flows
        .filter((row) => row.userId === userId && row.name.startsWith(prefix))
        .map((row) => row.name),
    endpointNames: async (userId, prefix) =>
      flows
        .filter((row) => row.userId === userId && row.endpointName?.startsWith(prefix) === true)
        .flatMap((row) => row.endpointName ?? []),
    webhookNames: async (prefix) =>
      flows
        .filter((row) => row.webhookName?.startsWith(prefix) === true)
        .flatMap((row) => row.webhookName ?? []),
    async insert(records) {
      const done: string[] = []
      try {
        for (const record of records) {
          flows.insert(copy(record))
          done.push(record.id)
        }
      } catch (error) {
        for (const id of done) flows.delete(id)
        throw error
      }
    },
    update: async (userId, id, patch) => updateOwn(flows, patch, { userId, id }),
    async move(userId, ids, folderId) {
      for (const id of ids) {
        const row = ownedRow(flows, userId, id)
        if (row !== undefined) flows.replace({ ...row, folderId })
      }
    },
    async remove(userId, ids) {
      const wanted = new Set(ids)
      const gone = flows
        .filter((row) => row.userId === userId && wanted.has(row.id))
        .map((row) => row.id)
      for (const id of gone) removeFlow(tables, id)
      return gone
    },
    async removeRecords(ids) {
      for (const id of ids) if (flows.get(id) === undefined) removeRecords(tables, id)
    },
  }
}

function matching(query: FlowQuery): (row: FlowRecord) => boolean {
  const { userId, folderId, isComponent, search } = query
  const ids = query.ids === undefined ? undefined : new Set(query.ids)
  const part = search === undefined ? undefined : foldAscii(search)
  return (row) =>
    row.userId === userId &&
    (folderId === undefined || row.folderId === folderId) &&
    (ids === undefined || ids.has(row.id)) &&
    (isComponent === undefined || row.isComponent === isComponent) &&
    (part === undefined || foldAscii(row.name).includes(part))
}

function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function ordered(rows: FlowRecord[], order: FlowQuery['order']): FlowRecord[] {
  if (order === 'created') return rows
  return rows.toReversed().toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
}

function withData(row: FlowRecord, data: FlowQuery['data']): FlowRecord {
  return data === 'all' || (data === 'components' && row.isComponent) ? row : { ...row, data: null }
}
