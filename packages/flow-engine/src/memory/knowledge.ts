import { createSystemRuntime, type Runtime } from '@x/wire'
import type { KnowledgeBase, KnowledgeService } from '../components/define/services.ts'
import { createMemoryVectorStore } from './vector-store.ts'
import { FlowError } from '../errors.ts'

/** The embedding model of a knowledge base. The provider defaults to OpenAI. */
export interface KnowledgeInit {
  readonly provider?: string
  readonly model: string
  readonly apiKey?: string
}

/**
 * Creates in-memory knowledge bases, each owned by the user who created it.
 * @param init empty knowledge bases by name, visible to every user
 */
export function createMemoryKnowledge(
  init: Readonly<Record<string, KnowledgeInit>> = {},
  runtime: Runtime = createSystemRuntime(),
): KnowledgeService {
  const bases = new Map<string, KnowledgeBase>()
  const make = (name: string, embedding: KnowledgeBase['embedding']): KnowledgeBase => ({
    id: runtime.uuid(),
    name,
    embedding,
    store: createMemoryVectorStore(),
  })
  for (const [name, { provider = 'OpenAI', ...embedding }] of Object.entries(init)) {
    bases.set(keyOf(name), make(name, { provider, ...embedding }))
  }
  const find = (name: string, userId?: string): KnowledgeBase | undefined =>
    bases.get(keyOf(name, userId)) ?? bases.get(keyOf(name))

  return {
    list({ userId }) {
      const names = [...bases.values()].map(({ name }) => name)
      return Promise.resolve(
        [...new Set(names)].filter((name) => find(name, userId) !== undefined).toSorted(),
      )
    },
    get: (name, { userId }) => Promise.resolve(find(name, userId) ?? null),
    create(name, embedding, { userId }) {
      if (find(name, userId) !== undefined) {
        const taken = new FlowError('conflict', `The knowledge base ${name} already exists`)
        return Promise.reject(taken)
      }
      const base = make(name, embedding)
      bases.set(keyOf(name, userId), base)
      return Promise.resolve(base)
    },
  }
}

function keyOf(name: string, userId?: string): string {
  return JSON.stringify([userId ?? null, name])
}
