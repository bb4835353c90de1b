import assert from 'node:assert/strict'
import type { CollectionRecord, CollectionRows } from '../store/collections.ts'
import type { FlowStore } from '../store/flow-store.ts'
import { idOf, timeOf, user } from './records.ts'
import { oddText } from '@x/wire'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

function collection(n: number, changes: Partial<CollectionRecord> = {}): CollectionRecord {
  return {
    id: idOf(8, n),
    userId: ada,
    kind: 'knowledge',
    name: `base ${n}`,
    provider: 'OpenAI',
    model: 'text-embedding-3-small',
    apiKey: null,
    createdAt: timeOf(n),
    ...changes,
  }
}

function rows(from: number, count: number, dimension = 3): CollectionRows {
  const list = Array.from({ length: count }, (_, at) => ({
    id: idOf(9, from + at),
    text: `${oddText} ${from + at}`,
    metadata: JSON.stringify({ n: from + at }),
    vector: Float32Array.from({ length: dimension }, (__, i) => from + at + i / 8),
  }))
  return { rows: list, words: count, characters: 10 * count, bytes: 20 * count, dimension }
}

const ALL = { after: 0, limit: 1000 }

/** Specs of vector collections. */
export function describeCollections({ it, store }: Subject<FlowStore>): void {
  const prepared = async (): Promise<FlowStore['collections']> => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    return store().collections
  }

  it('collections: found by user, kind and name, listed by name', async () => {
    const collections = await prepared()
    const size = { rows: 0, words: 0, characters: 0, bytes: 0, dimension: 0 }
    const first = collection(2, { apiKey: 'v1.sealed', name: oddText })
    const second = collection(1, { provider: null, model: null })
    await collections.insert(first)
    await collections.insert(second)
    await collections.insert(collection(3, { kind: 'vectors', name: oddText }))
    await collections.insert(collection(4, { userId: bob, name: oddText }))
    assert.deepEqual(await collections.get(ada, 'knowledge', oddText), { ...first, ...size })
    assert.equal(await collections.get(bob, 'vectors', oddText), null)
    const listed = await collections.list(ada, 'knowledge')
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), [first.id, second.id].toSorted())
    await conflicts('collection.name', () => collections.insert(collection(9, { name: oddText })))
  })

  it('collections: rows come back in order, a page at a time', async () => {
    const collections = await prepared()
    const { id } = collection(1)
    await collections.insert(collection(1))
    await collections.insert(collection(2))
    assert.equal(await collections.add(id, rows(1, 3), 10), 'added')
    assert.equal(await collections.add(collection(2).id, rows(50, 1), 10), 'added')
    assert.equal(await collections.add(id, rows(4, 2), 10), 'added')
    const first = await collections.texts(id, { after: 0, limit: 2 })
    const rest = await collections.texts(id, { after: first.at(-1)?.position ?? 0, limit: 9 })
    assert.deepEqual(
      [...first, ...rest].map(({ position: _, ...row }) => row),
      [...rows(1, 3).rows, ...rows(4, 2).rows].map(({ vector: _, ...row }) => row),
    )
    const vectors = await collections.vectors(id, { ...ALL, metadata: true })
    assert.deepEqual(
      vectors.map(({ vector, metadata }) => [[...vector], metadata]),
      [...rows(1, 3).rows, ...rows(4, 2).rows].map(({ vector, metadata }) => [
        [...vector],
        metadata,
      ]),
    )
    const bare = await collections.vectors(id, { after: 0, limit: 1, metadata: false })
    assert.deepEqual(
      bare.map(({ metadata }) => metadata),
      [null],
    )
    const positions = [vectors[3]?.position ?? 0, vectors[0]?.position ?? 0]
    const chosen = await collections.rows(id, positions)
    assert.deepEqual(chosen.map((row) => row.id).toSorted(), [idOf(9, 1), idOf(9, 4)])
    assert.deepEqual(await collections.rows(collection(2).id, positions), [])
  })

  it('collections: sizes add up; the limit and the length of vectors are kept', async () => {
    const collections = await prepared()
    const { id, name } = collection(1)
    await collections.insert(collection(1))
    assert.equal(await collections.add(id, rows(1, 4), 4), 'added')
    assert.equal(await collections.add(id, rows(9, 1), 4), 'full')
    assert.equal(await collections.add(id, rows(9, 1, 2), 9), 'dimension')
    assert.equal(await collections.add(idOf(8, 7), rows(9, 1), 9), 'gone')
    const {
      rows: count,
      words,
      characters,
      bytes,
      dimension,
    } = (await collections.get(ada, 'knowledge', name)) ?? assert.fail()
    assert.deepEqual(
      { count, words, characters, bytes, dimension },
      { count: 4, words: 4, characters: 40, bytes: 80, dimension: 3 },
    )
    assert.equal((await collections.texts(id, ALL)).length, 4)
  })

  it('collections: of writers that expect the same number of rows one adds', async () => {
    const collections = await prepared()
    const { id } = collection(1)
    await collections.insert(collection(1))
    assert.equal(await collections.add(id, rows(1, 2), 9, 0), 'added')
    assert.equal(await collections.add(id, rows(3, 1), 9, 0), 'changed')
    const added = await Promise.all(
      [1, 2, 3].map((n) => collections.add(id, rows(n * 10, 1), 9, 2)),
    )
    assert.deepEqual(added.toSorted(), ['added', 'changed', 'changed'])
    assert.equal((await collections.texts(id, ALL)).length, 3)
  })

  it('collections: removed with their rows, and with their user', async () => {
    const collections = await prepared()
    await collections.insert(collection(1))
    await collections.insert(collection(2))
    await collections.insert(collection(3, { userId: bob }))
    for (const n of [1, 2, 3]) await collections.add(collection(n).id, rows(n, 1), 9)
    assert.equal(await collections.remove(bob, 'knowledge', 'base 1'), false)
    assert.equal(await collections.remove(ada, 'knowledge', 'base 1'), true)
    assert.deepEqual(await collections.texts(collection(1).id, ALL), [])
    await store().users.remove(ada)
    assert.deepEqual(await collections.list(ada, 'knowledge'), [])
    assert.deepEqual(await collections.texts(collection(2).id, ALL), [])
    assert.equal((await collections.texts(collection(3).id, ALL)).length, 1)
    await collections.removeOfUser(bob)
    assert.deepEqual(await collections.list(bob, 'knowledge'), [])
  })

  it('collections: what is added at once never goes over the limit', async () => {
    const collections = await prepared()
    await collections.insert(collection(1))
    const added = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => collections.add(collection(1).id, rows(n * 10, 2), 6)),
    )
    assert.deepEqual(added.toSorted(), ['added', 'added', 'added', 'full', 'full'])
    assert.equal((await collections.texts(collection(1).id, ALL)).length, 6)
  })
}
