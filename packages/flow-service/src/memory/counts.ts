import type { CountStore } from '../store/counts.ts'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory row counts per user. */
export function createCounts(tables: MemoryTables): CountStore {
  return {
    async of(userId, kind, most) {
      const rows =
        kind === 'components'
          ? tables.components.filter((row) => row.ownerId === userId)
          : tables[kind].filter((row: { readonly userId: string | null }) => row.userId === userId)
      return Math.min(rows.length, most)
    },
    async fileBytes(userId) {
      const files = tables.userFiles.filter((row) => row.userId === userId)
      return files.reduce((sum, { size }) => sum + size, 0)
    },
  }
}
