import type { DistinctRows, VectorRow } from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'
import { eventLoopTurn } from '@x/wire'
import type { CollectionStore } from '../../store/collections.ts'
import { parseObject } from './search-collection.ts'

const TEXTS_AT_ONCE = 1000

export interface DistinctOptions {
  /** Metadata key. */
  readonly key: string
  /** The collection id; null if it does not exist. */
  find(): Promise<string | null>
  /** Adds the rows if the collection contains exactly `expected` rows; otherwise false. */
  add(rows: readonly VectorRow[], expected: number): Promise<boolean>
}

/**
 * Deduplicates rows by a metadata value, also across writers in several processes: rows are only added while
 * the collection has the size that was checked, and rows added by others are checked first.
 */
export async function openDistinctRows(
  store: CollectionStore,
  { key, ...collection }: DistinctOptions,
): Promise<DistinctRows> {
  const known = new Set<unknown>()
  const own = new Set<string>()
  let [after, held] = [0, 0]
  const look = async (): Promise<boolean> => {
    const id = await collection.find()
    const before = after
    if (id === null) return false
    for (;;) {
      const page = await store.texts(id, { after, limit: TEXTS_AT_ONCE })
      for (const row of page) {
        if (own.delete(row.id)) continue
        known.add(parseObject(row.metadata)[key])
        held += 1
      }
      after = page.at(-1)?.position ?? after
      if (page.length < TEXTS_AT_ONCE) return after > before
      await eventLoopTurn()
    }
  }
  await look()
  return {
    has: (value) => known.has(value),
    async add(rows) {
      for (;;) {
        const fresh = rows.filter(({ metadata }) => !known.has(metadata[key]))
        if (fresh.length === 0) return
        if (await collection.add(fresh, held)) {
          for (const { id } of fresh) own.add(id)
          held += fresh.length
          return
        }
        if (await look()) continue
        throw new FlowError(
          'conflict',
          'The collection was replaced while it was filled: run again',
        )
      }
    },
  }
}
