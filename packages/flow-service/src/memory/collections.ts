import { compareText, triple } from '@x/wire'
import type { CollectionPage, CollectionSize, CollectionStore } from '../store/collections.ts'
import type { MemoryTables, MemoryVector } from './tables.ts'

/** Creates the in-memory store of collections. */
export function createCollections(tables: MemoryTables): CollectionStore {
  const { collections, vectors } = tables
  const rowsOf = (id: string): MemoryVector[] =>
    vectors.filter(({ collectionId }) => collectionId === id)
  const page = (id: string, { after, limit }: CollectionPage): MemoryVector[] =>
    rowsOf(id)
      .filter(({ position }) => position > after)
      .slice(0, limit)
  let last = 0

  return {
    async get(userId, kind, name) {
      const found = collections.find('collection.name', triple(userId, kind, name))
      return found === undefined ? null : { ...found }
    },
    async list(userId, kind) {
      return collections
        .filter((row) => row.userId === userId && row.kind === kind)
        .toSorted((a, b) => compareText(a.name, b.name))
        .map((row) => ({ ...row }))
    },
    async insert(record) {
      collections.insert({ ...record, ...EMPTY })
    },
    async remove(userId, kind, name) {
      const found = collections.find('collection.name', triple(userId, kind, name))
      if (found === undefined) return false
      removeCollection(tables, found.id)
      return true
    },
    async removeOfUser(userId) {
      removeCollections(tables, userId)
    },
    async add(id, { rows, dimension, ...more }, limit, expected) {
      const found = collections.get(id)
      if (found === undefined) return 'gone'
      if (expected !== undefined && found.rows !== expected) return 'changed'
      if (found.rows > 0 && found.dimension !== dimension) return 'dimension'
      if (found.rows + rows.length > limit) return 'full'
      collections.replace({
        ...found,
        dimension,
        rows: found.rows + rows.length,
        words: found.words + more.words,
        characters: found.characters + more.characters,
        bytes: found.bytes + more.bytes,
      })
      for (const { vector, ...row } of rows) {
        last += 1
        vectors.insert({ ...row, vector: vector.slice(), position: last, collectionId: id })
      }
      return 'added'
    },
    async texts(id, wanted) {
      return page(id, wanted).map(({ id: rowId, text, metadata, position }) => ({
        id: rowId,
        text,
        metadata,
        position,
      }))
    },
    async vectors(id, { metadata: withMetadata, ...wanted }) {
      return page(id, wanted).map(({ vector, position, metadata }) => ({
        vector: vector.slice(),
        position,
        metadata: withMetadata ? metadata : null,
      }))
    },
    async rows(id, positions) {
      const wanted = new Set(positions)
      return rowsOf(id)
        .filter(({ position }) => wanted.has(position))
        .map(({ collectionId: _, ...row }) => ({ ...row, vector: row.vector.slice() }))
    },
  }
}

const EMPTY: CollectionSize = { rows: 0, words: 0, characters: 0, bytes: 0, dimension: 0 }

/** Removes a user's collections with their rows. */
export function removeCollections(tables: MemoryTables, userId: string): void {
  const own = tables.collections.filter((row) => row.userId === userId)
  for (const { id } of own) removeCollection(tables, id)
}

function removeCollection({ collections, vectors }: MemoryTables, id: string): void {
  collections.delete(id)
  for (const row of vectors.filter(({ collectionId }) => collectionId === id)) {
    vectors.delete(String(row.position))
  }
}
