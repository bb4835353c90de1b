import type { RunTraceQuery, RunTraceRecord, RunTraceStore } from '../store/run-traces.ts'
import { copy, copyOrNull } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of traces. */
export function createRunTraces({ runTraces }: MemoryTables): RunTraceStore {
  return {
    async append(records, keep) {
      for (const record of records) runTraces.insert(copy(record))
      for (const ownerId of new Set(records.map((row) => row.ownerId))) {
        const rows = runTraces.filter((row) => row.ownerId === ownerId)
        for (const { id } of rows.slice(0, Math.max(0, rows.length - keep))) runTraces.delete(id)
      }
    },
    async list({ offset, limit, ...wanted }) {
      const found = runTraces
        .filter(isWanted(wanted))
        .toReversed()
        .toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
      const items = found.slice(offset, offset + limit).map(({ details: _, ...row }) => copy(row))
      return { items, total: found.length }
    },
    async get(ownerId, id) {
      const row = runTraces.get(id)
      return row?.ownerId === ownerId ? copyOrNull(row) : null
    },
  }
}

function isWanted(
  query: Omit<RunTraceQuery, 'offset' | 'limit'>,
): (row: RunTraceRecord) => boolean {
  const { ownerId, flowId, sessionId, states, from, to } = query
  return (row) =>
    row.ownerId === ownerId &&
    (flowId === undefined || row.flowId === flowId) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (states === undefined || states.includes(row.state)) &&
    (from === undefined || row.startedAt >= from) &&
    (to === undefined || row.startedAt <= to)
}
