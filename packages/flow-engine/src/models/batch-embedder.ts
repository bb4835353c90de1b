import { append } from '@x/wire'
import type { Embedder } from './chat-model.ts'
import { ModelError } from './model-error.ts'
import { readVector } from './read-vector.ts'

/** Creates an embedder whose requests carry at most `size` texts; `ask` returns one vector for each. */
export function createBatchEmbedder(
  size: number,
  ask: (texts: readonly string[], signal: AbortSignal) => Promise<readonly unknown[]>,
): Embedder {
  return {
    async embed(texts, signal = new AbortController().signal) {
      const vectors: number[][] = []
      for (let at = 0; at < texts.length; at += size) {
        const batch = texts.slice(at, at + size)
        const found = await ask(batch, signal)
        if (found.length !== batch.length) {
          const message = `The response has ${found.length} embeddings for ${batch.length} texts`
          throw new ModelError({ status: null, code: null, message })
        }
        append(vectors, found.map(readVector))
      }
      return vectors
    },
  }
}
