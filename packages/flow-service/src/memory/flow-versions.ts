import type { FlowVersionStore } from '../store/flow-versions.ts'
import { ownedRow } from './owned.ts'
import { copy, copyOrNull, pair, sliceRows } from '@x/wire'
import type { MemoryFlowVersion, MemoryTables } from './tables.ts'

/** Creates the in-memory store of flow versions. */
export function createFlowVersions(tables: MemoryTables): FlowVersionStore {
  const { flows, flowVersions, flowVersionCounts } = tables
  const newestFirst = (flowId: string): MemoryFlowVersion[] =>
    flowVersions.filter((row) => row.flowId === flowId).toReversed()
  const ofFlow = (flowId: string, row: MemoryFlowVersion | undefined) =>
    copyOrNull(row?.flowId === flowId ? row : undefined)

  return {
    async add({ hash: _, ...version }, keep) {
      const { flowId, userId } = version
      if (ownedRow(flows, userId, flowId) === undefined) return null
      const last = flowVersionCounts.get(flowId)?.last ?? 0
      const row = { ...version, number: last + 1 }
      flowVersions.insert(copy(row))
      flowVersionCounts.delete(flowId)
      flowVersionCounts.insert({ flowId, last: last + 1 })
      for (const { id } of newestFirst(flowId).slice(keep)) flowVersions.delete(id)
      return copy(row)
    },
    get: async (flowId, id) => ofFlow(flowId, flowVersions.get(id)),
    findByNumber: async (flowId, number) =>
      ofFlow(flowId, flowVersions.find('flowVersion.number', pair(flowId, String(number)))),
    list: async (flowId, wanted) =>
      sliceRows(newestFirst(flowId), wanted).items.map((row) => ({ ...row, data: null })),
    remove: async (flowId, id) =>
      flowVersions.get(id)?.flowId === flowId && flowVersions.delete(id),
  }
}
