import type { VectorRow, VectorStore } from '../components/define/services.ts'

/** Creates an in-memory vector store. */
export function createMemoryVectorStore(): VectorStore {
  const rows: VectorRow[] = []
  return {
    add(more) {
      for (const row of more) rows.push(row)
      return Promise.resolve()
    },
    all: () => Promise.resolve([...rows]),
  }
}
