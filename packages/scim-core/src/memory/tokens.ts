import { compareCodePoints } from '../base/fold.ts'
import type { TokenRecord, TokenStore } from '../store/tokens.ts'

/** An in-memory token store, for tests and for tokens from settings. */
export function createMemoryTokenStore(): TokenStore {
  const tokens = new Map<string, TokenRecord>()
  const byDigest = new Map<string, string>()
  const read = (id: string | undefined): TokenRecord | null => {
    const record = id === undefined ? undefined : tokens.get(id)
    return record === undefined ? null : structuredClone(record)
  }

  return {
    async insert(record) {
      tokens.set(record.id, structuredClone(record))
      byDigest.set(record.digest, record.id)
    },
    get: async (id) => read(id),
    byDigest: async (digest) => read(byDigest.get(digest)),
    async update(id, patch) {
      const record = tokens.get(id)
      if (record === undefined) return false
      tokens.set(id, { ...record, ...structuredClone(patch) })
      return true
    },
    list: async (tenant) =>
      [...tokens.values()]
        .filter((record) => record.tenant === tenant)
        .toSorted(
          (a, b) => a.created.getTime() - b.created.getTime() || compareCodePoints(a.id, b.id),
        )
        .map((record) => structuredClone(record)),
  }
}
