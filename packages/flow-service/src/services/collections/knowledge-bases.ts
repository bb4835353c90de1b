import type { CollectionRecord, CollectionSize } from '../../store/collections.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'

/** A knowledge base and its size. */
export type KnowledgeBaseInfo = CollectionRecord & CollectionSize

/** Lists and deletes the caller's knowledge bases; flows create and fill them. */
export interface KnowledgeBaseService {
  list(caller: Caller): Promise<KnowledgeBaseInfo[]>
  /** @throws Refusal 404 */
  get(caller: Caller, name: string): Promise<KnowledgeBaseInfo>
  /** @throws Refusal 404 */
  remove(caller: Caller, name: string): Promise<void>
  /**
   * Removes several; unknown names are reported.
   * @throws Refusal 404 if none of them exists
   */
  removeAll(
    caller: Caller,
    names: readonly string[],
  ): Promise<{ removed: number; missing: string[] }>
}

export function createKnowledgeBaseService({
  store: { collections },
}: Pick<ServiceDependencies, 'store'>): KnowledgeBaseService {
  const missing = (name: string) => refuse(404, `Knowledge base '${name}' not found`)
  return {
    list: ({ id }) => collections.list(id, 'knowledge'),
    async get({ id }, name) {
      const found = await collections.get(id, 'knowledge', name)
      if (found === null) throw missing(name)
      return found
    },
    async remove({ id }, name) {
      if (!(await collections.remove(id, 'knowledge', name))) throw missing(name)
    },
    async removeAll({ id }, names) {
      const absent: string[] = []
      for (const name of new Set(names)) {
        if (!(await collections.remove(id, 'knowledge', name))) absent.push(name)
      }
      const removed = new Set(names).size - absent.length
      if (removed === 0 && absent.length > 0) {
        throw refuse(404, `Knowledge bases not found: ${absent.join(', ')}`)
      }
      return { removed, missing: absent }
    },
  }
}
