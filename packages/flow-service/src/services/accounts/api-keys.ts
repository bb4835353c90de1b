import { encodeBase64Url } from '@x/wire'
import type { ApiKeyRecord, ApiKeyUse } from '../../store/api-keys.ts'
import { refuse } from '../../refusal.ts'
import type { PageParts } from '../../store/page-parts.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { hashKey } from '../crypto/hash-key.ts'

/** Characters of a key that are stored for display. */
const PREFIX = 8
/** Maximum delay before counted uses are stored. */
const FLUSH_MS = 1000

/** Cache size. Hashing a key costs more than the lookup in the store. */
const MAX_CACHED_HASHES = 1000

/** API keys of users. */
export interface ApiKeyService {
  list(caller: Caller): Promise<PageParts<ApiKeyRecord>>
  /**
   * Returns the record and the key in clear text, which is not available again.
   * @throws Refusal 400 if the user has too many, 404 for an unknown agent, 403 for one of others
   */
  create(
    caller: Caller,
    input: { name: string | null; createdAt: Date | null; agentId?: string | null },
  ): Promise<{ record: ApiKeyRecord; key: string }>
  /** @throws Refusal 400 */
  remove(caller: Caller, id: string): Promise<void>
  /** Encrypts and stores the key of the component store; returns the sealed key. */
  saveStoreKey(caller: Caller, key: string): Promise<string>
  /** The record of a valid clear-text key, else null. @throws Refusal 403 if its agent may not act */
  find(key: string): Promise<ApiKeyRecord | null>
  /** Counts a use; stored within a second. */
  countUse(record: ApiKeyRecord): void
  /** Stores all counted uses. */
  flush(): Promise<void>
}

export function createApiKeyService(deps: ServiceDependencies): ApiKeyService {
  const { store, runtime, settings, secrets, emit, userLimits } = deps
  const counter = createUseCounter(deps)
  /** Keys whose first use was announced; the store knows within a second. */
  const firstUses = new Set<string>()
  /** Hashes of valid keys. Validity itself is checked on every use. */
  const hashes = new Map<string, string>()

  return {
    async list({ id }) {
      await counter.flush()
      const { apiKeys, counts } = store
      const parts = apiKeys.parts?.(id)
      if (parts !== undefined)
        return { items: parts, total: await counts.of(id, 'apiKeys', Number.MAX_SAFE_INTEGER) }
      const items = await apiKeys.list(id)
      return { items: [items], total: items.length }
    },
    async create(caller, { name, createdAt, agentId = null }) {
      if (agentId !== null) await assertMayBind(deps, caller, agentId)
      const key = `sk-${encodeBase64Url(runtime.randomBytes(32))}`
      const record: ApiKeyRecord = {
        id: runtime.uuid(),
        userId: caller.id,
        name,
        hash: hashKey(key),
        prefix: key.slice(0, PREFIX),
        isActive: true,
        agentId,
        totalUses: 0,
        lastUsedAt: null,
        createdAt: createdAt ?? runtime.now(),
      }
      await userLimits.within(caller.id, { kind: 'apiKeys', added: 1 }, () =>
        store.apiKeys.insert(record),
      )
      emit('apiKey.created', { at: runtime.now(), userId: caller.id, id: record.id })
      return { record, key }
    },
    async remove(caller, id) {
      if (!(await store.apiKeys.remove(caller.id, id))) throw refuse(400, 'API Key not found')
      emit('apiKey.deleted', { at: runtime.now(), userId: caller.id, id })
    },
    async saveStoreKey(caller, key) {
      const storeApiKey = await secrets.seal(key, caller.id)
      await store.users.update(caller.id, { storeApiKey })
      return storeApiKey
    },
    async find(key) {
      const hash = hashes.get(key) ?? hashKey(key)
      const record = await store.apiKeys.findByHash(hash)
      if (record?.isActive !== true) return null
      await assertAgentActs(deps, record)
      if (hashes.size >= MAX_CACHED_HASHES) hashes.clear()
      hashes.set(key, hash)
      return record
    },
    countUse(record) {
      if (record.lastUsedAt === null && !firstUses.has(record.id)) {
        if (firstUses.size >= MAX_CACHED_HASHES) firstUses.clear()
        firstUses.add(record.id)
        emit('apiKey.firstUsed', { at: runtime.now(), userId: record.userId, id: record.id })
      }
      if (!settings.disableTrackApikeyUsage) counter.count(record.id)
    },
    flush: () => counter.flush(),
  }
}

/** @throws Refusal 404, 403 */
async function assertMayBind({ agents }: ServiceDependencies, caller: Caller, agentId: string) {
  const answer = (await agents?.mayBind(caller, agentId)) ?? 'unknown'
  if (answer === 'unknown') throw refuse(404, 'Agent not found')
  if (answer === 'no') throw refuse(403, 'Only an owner of the agent may have a key of it')
}

/** A key of an agent works only while the agent does, in every process. @throws Refusal 403 */
export async function assertAgentActs(
  { agents }: Pick<ServiceDependencies, 'agents'>,
  { agentId }: Pick<ApiKeyRecord, 'agentId'>,
): Promise<void> {
  if (agentId === null) return
  const refusal = agents === undefined ? 'Agents are disabled.' : await agents.refusal(agentId)
  if (refusal !== null) throw refuse(403, refusal)
}

/** Collects uses in memory, so that a request does not wait for a write. */
function createUseCounter({ store, runtime, report }: ServiceDependencies) {
  let pending = new Map<string, ApiKeyUse>()
  let writing: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    const uses = [...pending.values()]
    pending = new Map()
    if (uses.length > 0) {
      writing = writing.then(() => store.apiKeys.addUses(uses)).catch((error) => report(error))
    }
    await writing
  }
  return {
    flush,
    count(id: string): void {
      if (pending.size === 0) {
        void runtime.sleep(FLUSH_MS).then(flush, report)
      }
      const uses = (pending.get(id)?.uses ?? 0) + 1
      pending.set(id, { id, uses, lastUsedAt: runtime.now() })
    },
  }
}
