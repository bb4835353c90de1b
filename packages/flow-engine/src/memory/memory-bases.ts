import { setLru } from '@x/wire'
import type { FileScope, MemoryBases, VectorStores } from '../components/define/services.ts'
import { createMemoryVectorStore } from './vector-store.ts'
import type { VectorStore } from '../components/define/services.ts'

const MAX_KEPT = 100

export interface MemoryBaseOptions {
  /** Model that embeds the messages, as `<provider>/<model>`. Default `OpenAI/text-embedding-3-small`. */
  readonly model?: string
  /** Vector stores. Default: in memory, limited to the 100 most recent bases. */
  readonly vectors?: VectorStores
}

/**
 * Memory bases of any name, created on first use. They are filled from the stored messages of their
 * flow, so evicted vectors are embedded again.
 */
export function createMemoryBases({ model, vectors }: MemoryBaseOptions = {}): MemoryBases {
  const [provider = '', ...rest] = (model ?? 'OpenAI/text-embedding-3-small').split('/')
  const embedding = { provider, model: rest.join('/') }
  const stores = vectors ?? keptStores()
  return {
    async open(name, scope) {
      return { embedding, store: await stores.open(`memory_base/${name}`, scope) }
    },
  }
}

function keptStores(): VectorStores {
  const kept = new Map<string, VectorStore>()
  return {
    open(name, { userId, flowId }: FileScope) {
      const key = JSON.stringify([userId ?? null, flowId, name])
      const store = kept.get(key) ?? createMemoryVectorStore()
      return Promise.resolve(setLru(kept, key, store, MAX_KEPT))
    },
  }
}
