import type {
  KnowledgeBase,
  KnowledgeService,
  VectorRow,
  VectorStore,
  VectorStores,
} from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'
import { invalidRequest, limitExceeded } from '@x/flow-engine/internal'
import { append, eventLoopTurn } from '@x/wire'
import type {
  CollectionKind,
  CollectionRecord,
  CollectionRow,
  CollectionSize,
  CollectionStore,
} from '../../store/collections.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import { collectionRows } from './collection-rows.ts'
import { openDistinctRows } from './distinct-rows.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { parseObject, searchCollection } from './search-collection.ts'

type Kit = Pick<ServiceDependencies, 'runtime' | 'secrets' | 'settings'>

/** Maximum number of collections of one kind per user, and maximum length of a name. */
const MAX_COLLECTIONS = 1000
const MAX_NAME_LENGTH = 512
const TEXTS_AT_ONCE = 1000
/** Rows per transaction, so that other writers are not blocked for long. */
const ADDED_AT_ONCE = 1000

/** Chroma and FAISS collections of one user, created when first filled. */
export function createVectorStores(
  deps: Kit,
  store: CollectionStore,
  userId: string,
): VectorStores {
  return {
    async open(name) {
      if (name.length > MAX_NAME_LENGTH) {
        throw invalidRequest(`The name of a collection has at most ${MAX_NAME_LENGTH} characters`)
      }
      return vectorStore(deps, store, {
        find: () => store.get(userId, 'vectors', name),
        make: () => insert(deps, store, { userId, kind: 'vectors', name }),
        what: `the collection ${name.split('/').at(-1) ?? ''}`,
      })
    },
  }
}

/** Knowledge bases of one user. */
export function createKnowledge(
  deps: Kit,
  store: CollectionStore,
  userId: string,
): KnowledgeService {
  const opened = async (record: CollectionRecord): Promise<KnowledgeBase> => {
    const { id, name, apiKey } = record
    const key = apiKey === null ? null : await deps.secrets.open(apiKey, contextOf(record))
    return {
      id,
      name,
      embedding: {
        provider: record.provider ?? '',
        model: record.model ?? '',
        ...(key === null ? {} : { apiKey: key }),
      },
      store: vectorStore(deps, store, {
        find: () => store.get(userId, 'knowledge', name),
        make: () => Promise.reject(new FlowError('not_found', `Knowledge base ${name} is gone`)),
        what: `the knowledge base ${name}`,
      }),
    }
  }
  return {
    list: async () => (await store.list(userId, 'knowledge')).map(({ name }) => name),
    async get(name) {
      const found = await store.get(userId, 'knowledge', name)
      return found === null ? null : opened(found)
    },
    async create(name, { provider, model, apiKey }) {
      const place = { userId, kind: 'knowledge' as const, name }
      const key = apiKey === undefined ? null : await deps.secrets.seal(apiKey, contextOf(place))
      try {
        return await opened(await insert(deps, store, { ...place, provider, model, apiKey: key }))
      } catch (error) {
        if (!isUniqueConflict(error)) throw error
        const text = `The knowledge base ${name} already exists`
        throw new FlowError('conflict', text, { cause: error })
      }
    },
  }
}

type NewCollection = Pick<CollectionRecord, 'userId' | 'kind' | 'name'> & Partial<CollectionRecord>

async function insert(
  { runtime }: Kit,
  store: CollectionStore,
  given: NewCollection,
): Promise<CollectionRecord> {
  const own = await store.list(given.userId, given.kind)
  if (own.length >= MAX_COLLECTIONS) {
    throw limitExceeded('collections', `a user has at most ${MAX_COLLECTIONS} of them`)
  }
  const record: CollectionRecord = {
    id: runtime.uuid(),
    provider: null,
    model: null,
    apiKey: null,
    createdAt: runtime.now(),
    ...given,
  }
  await store.insert(record)
  return record
}

/** The encryption context: a sealed key can only be opened in its own place. */
function contextOf({ userId, kind, name }: { userId: string; kind: CollectionKind; name: string }) {
  return `collection/${kind}/${userId}/${name}`
}

type Sized = CollectionRecord & CollectionSize

interface Place {
  find(): Promise<Sized | null>
  make(): Promise<CollectionRecord>
  /** For error messages. */
  readonly what: string
}

function vectorStore({ settings }: Kit, store: CollectionStore, place: Place): VectorStore {
  const limit = settings.knowledgeRows
  const full = (): FlowError =>
    limitExceeded('knowledgeRows', `${place.what} may hold ${limit} rows (SERVICE_KNOWLEDGE_ROWS)`)
  const idForRows = async (): Promise<string> => {
    const found = await place.find()
    if (found !== null) return found.id
    try {
      return (await place.make()).id
    } catch (error) {
      if (!isUniqueConflict(error)) throw error
      // Another request has just created it.
      return (await place.find())?.id ?? ''
    }
  }
  /** False if the collection does not contain exactly `expected` rows. */
  const addPart = async (
    id: string,
    given: readonly VectorRow[],
    expected?: number,
  ): Promise<boolean> => {
    const part = collectionRows(given)
    const outcome = await store.add(id, part, limit, expected)
    if (outcome === 'full') throw full()
    if (outcome === 'gone') throw new FlowError('not_found', `${place.what} was removed`)
    if (outcome === 'dimension') throw otherLength(await place.find(), part.dimension)
    await eventLoopTurn()
    return outcome === 'added'
  }
  return {
    async add(rows) {
      if (rows.length === 0) return
      const id = await idForRows()
      for (const part of partsOf(rows)) await addPart(id, part)
    },
    async distinct(key) {
      const distinct = await openDistinctRows(store, {
        key,
        find: async () => (await place.find())?.id ?? null,
        add: async (rows, expected) => addPart(await idForRows(), rows, expected),
      })
      return {
        has: (value) => distinct.has(value),
        async add(rows) {
          for (const part of partsOf(rows)) await distinct.add(part)
        },
      }
    },
    async room() {
      return limit - ((await place.find())?.rows ?? 0)
    },
    async all() {
      const found = await place.find()
      if (found === null) return []
      const rows: VectorRow[] = []
      for await (const page of pages(store, found.id)) {
        const whole = await store.rows(
          found.id,
          page.map(({ position }) => position),
        )
        append(rows, whole.toSorted((a, b) => a.position - b.position).map(toVectorRow))
      }
      return rows
    },
    async *documents() {
      const found = await place.find()
      if (found === null) return
      for await (const page of pages(store, found.id)) {
        yield page.map(({ id, text, metadata }) => ({ id, text, metadata: parseObject(metadata) }))
      }
    },
    async nearest(vector, options) {
      const found = await place.find()
      if (found === null || found.rows === 0) return []
      if (found.dimension !== vector.length) throw otherLength(found, vector.length)
      const rows = await searchCollection(store, found, { vector, ...options })
      return rows.map(({ row, distance }) => ({ row: toVectorRow(row), distance }))
    },
  }
}

function* partsOf(rows: readonly VectorRow[]): Generator<readonly VectorRow[]> {
  for (let at = 0; at < rows.length; at += ADDED_AT_ONCE) yield rows.slice(at, at + ADDED_AT_ONCE)
}

async function* pages(store: CollectionStore, id: string) {
  for (let after = 0; ;) {
    const page = await store.texts(id, { after, limit: TEXTS_AT_ONCE })
    if (page.length > 0) yield page
    if (page.length < TEXTS_AT_ONCE) return
    after = page.at(-1)?.position ?? after
    await eventLoopTurn()
  }
}

function toVectorRow({ id, text, metadata, vector }: CollectionRow): VectorRow {
  return { id, text, metadata: parseObject(metadata), vector: Array.from(vector) }
}

function otherLength(found: Sized | null, length: number): FlowError {
  return invalidRequest(
    `The index has vectors of length ${found?.dimension ?? 0}, the query has length ${length}: both need the same embedding model`,
  )
}
