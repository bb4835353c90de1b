import type { AuditRecord, AuditStore } from '../store/audit.ts'

const MAX_RECORDS = 10_000

/** Creates an in-memory audit store that keeps the newest 10,000 records. */
export function createMemoryAuditStore(): AuditStore {
  let records: AuditRecord[] = []
  return {
    async append(added) {
      records = [...records, ...added.map((record) => structuredClone(record))].slice(-MAX_RECORDS)
    },
    async list({ limit, before, ...wanted }) {
      const end = before === undefined ? records.length : indexOf(records, before)
      const matches = (record: AuditRecord): boolean =>
        (['action', 'actorId', 'targetId'] as const).every(
          (name) => wanted[name] === undefined || wanted[name] === record[name],
        )
      const found = records.slice(0, end).filter(matches).toReversed().slice(0, limit)
      return found.map((record) => structuredClone(record))
    },
    async trim(before) {
      records = records.filter(({ at }) => at >= before)
    },
  }
}

function indexOf(records: readonly AuditRecord[], id: string): number {
  return Math.max(
    0,
    records.findIndex((record) => record.id === id),
  )
}
