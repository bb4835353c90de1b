import { createMemoryVectorStore } from '@x/flow-engine/memory'
import type { ComponentContext } from '@x/flow-engine'
import type { NearestOptions, NearestRow, VectorRow, VectorStore } from '@x/flow-engine'
import { nearestRows } from './nearest.ts'

const SHARED = '@x/flow-engine/vector-stores'

/** Opens the host's store of that name, or one that lives as long as the run. */
export async function openVectorStore(name: string, ctx: ComponentContext): Promise<VectorStore> {
  const { services, userId, flowId, shared } = ctx
  if (services.vectors !== undefined) {
    return services.vectors.open(name, userId === undefined ? { flowId } : { flowId, userId })
  }
  const known = shared.get(SHARED)
  const stores = known instanceof Map ? (known as Map<string, VectorStore>) : new Map()
  shared.set(SHARED, stores)
  const store = stores.get(name) ?? createMemoryVectorStore()
  stores.set(name, store)
  return store
}

/** Returns the rows of a store nearest to a vector; compares every row if the store has no search. */
export async function nearestIn(
  store: VectorStore,
  vector: readonly number[],
  options: NearestOptions,
): Promise<readonly NearestRow[]> {
  if (store.nearest !== undefined) return store.nearest(vector, options)
  const { count, accepts } = options
  const rows = await store.all()
  const accepted = accepts === undefined ? rows : rows.filter((row) => accepts(row.metadata))
  return nearestRows(accepted, vector, count)
}

/** Yields the texts of a store in batches. */
export async function* documentsIn(
  store: VectorStore,
): AsyncGenerator<readonly Omit<VectorRow, 'vector'>[]> {
  if (store.documents === undefined) yield await store.all()
  else yield* store.documents()
}

/**
 * Checks that there is room for all rows before texts are embedded, which costs money.
 * @throws TypeError that states how many rows fit
 */
export async function requireRoom(store: VectorStore, count: number): Promise<void> {
  const room = await store.room?.()
  if (room === undefined || count <= room) return
  throw new TypeError(
    `${count} rows do not fit: there is only room for ${Math.max(0, room)} more (limit SERVICE_KNOWLEDGE_ROWS)`,
  )
}
