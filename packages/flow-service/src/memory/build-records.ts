import type { TransactionStore, VertexBuildStore } from '../store/build-records.ts'
import { copy, pair, sliceRows } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of vertex builds. */
export function createVertexBuilds({ vertexBuilds, flows }: MemoryTables): VertexBuildStore {
  return {
    async append(records, { perVertex, perOwner }) {
      for (const record of records) vertexBuilds.insert(copy(record))
      const touched = new Set(records.map((row) => pair(row.flowId, row.vertexId)))
      for (const vertex of touched) {
        const rows = vertexBuilds.filter((row) => pair(row.flowId, row.vertexId) === vertex)
        for (const { buildId } of rows.slice(0, -perVertex)) vertexBuilds.delete(buildId)
      }
      for (const ownerId of new Set(records.map((row) => row.ownerId))) {
        const rows = vertexBuilds.filter((row) => row.ownerId === ownerId)
        for (const { buildId } of allButLast(rows, perOwner)) vertexBuilds.delete(buildId)
      }
    },
    async latest(flowId) {
      const newest = new Map<string, string>()
      const rows = vertexBuilds.filter((row) => row.flowId === flowId)
      for (const row of rows) newest.set(row.vertexId, row.buildId)
      return rows.filter((row) => newest.get(row.vertexId) === row.buildId).map(copy)
    },
    async removeOfFlow(flowId) {
      for (const { buildId } of vertexBuilds.filter((row) => row.flowId === flowId)) {
        vertexBuilds.delete(buildId)
      }
    },
    async trimPublic(before) {
      const old = vertexBuilds.filter((row) => row.timestamp < before)
      for (const { buildId, flowId } of old) {
        if (flows.get(flowId) === undefined) vertexBuilds.delete(buildId)
      }
    },
  }
}

/** Creates the in-memory store of transactions. */
export function createTransactions({ transactions }: MemoryTables): TransactionStore {
  return {
    async append(records, keep) {
      for (const record of records) transactions.insert(copy(record))
      for (const flowId of new Set(records.map((row) => row.flowId))) {
        const rows = transactions.filter((row) => row.flowId === flowId)
        for (const { id } of allButLast(rows, keep)) transactions.delete(id)
      }
      if (!records.some(ofVisitor)) return
      for (const { id } of allButLast(transactions.filter(ofVisitor), keep)) transactions.delete(id)
    },
    list: async (flowId, range) =>
      sliceRows(
        transactions.filter((row) => row.flowId === flowId),
        range,
      ),
    async removeOfFlow(flowId) {
      for (const { id } of transactions.filter((row) => row.flowId === flowId)) {
        transactions.delete(id)
      }
    },
    async trimPublic(before) {
      const old = transactions.filter((row) => ofVisitor(row) && row.timestamp < before)
      for (const { id } of old) transactions.delete(id)
    },
  }
}

/** Returns all rows except the last `keep`. */
function allButLast<Row>(rows: readonly Row[], keep: number): readonly Row[] {
  return rows.slice(0, Math.max(0, rows.length - keep))
}

const ofVisitor = ({ ownerId }: { readonly ownerId: string | null }): boolean => ownerId === null
