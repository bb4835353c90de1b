import type { ComponentContext } from '../context.ts'
import type { VectorRow, VectorStore } from '../services.ts'

const SHARED = '@x/flow-engine/vector-stores'

/** The host's store of that name, else one that lives as long as the run (CO-73). */
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

/** Vectors kept as long as the object lives. */
export function createMemoryVectorStore(): VectorStore {
  const rows: VectorRow[] = []
  return {
    add(more) {
      rows.push(...more)
      return Promise.resolve()
    },
    all: () => Promise.resolve([...rows]),
  }
}
