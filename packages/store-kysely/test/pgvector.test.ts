import { randomUUID } from 'node:crypto'
import { searchCollection } from '../../flow-service/src/services/collections/search-collection.ts'
import type { CollectionStore } from '@x/flow-service/store'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** A server whose databases can have the extension: `create extension vector` is run on one. */
const server = process.env['X_TEST_PGVECTOR_URL'] ?? ''
if (server === '') {
  console.warn('Tests of pgvector are skipped: X_TEST_PGVECTOR_URL names no server that has it')
}

const ID = '00000000-0000-4000-8000-000000000001'
const name = `x_${randomUUID().replaceAll('-', '')}`
let db: Kysely<unknown>

describe.skipIf(server === '')('nearest vectors with pgvector', () => {
  beforeAll(async () => {
    await onServer(`create database ${name}`)
    db = openPostgres<unknown>(server.replace(/(\/\/[^/]*)\/[^?]*/, `$1/${name}`))
  })
  afterAll(async () => {
    await db.destroy()
    await onServer(`drop database ${name} with (force)`)
  })

  test('an extension that comes later is used, also for the vectors that are there', async () => {
    await migrateFlow(db)
    await fillWith(seeded(1), 1200)
    expect(await stores().collections.nearest?.(ID, { vector: numbers(), count: 3 })).toBe(null)

    await sql`create extension vector`.execute(db)
    await Promise.all([migrateFlow(db), migrateFlow(db)])
    db = await reopened(db)
    const { collections } = stores()
    // Each search converts a part of what is older than the extension, and is exact meanwhile.
    await sameAsExact(numbers())
    expect(await collections.nearest?.(ID, { vector: numbers(), count: 3 })).toHaveLength(3)
    await sameAsExact(numbers())
    expect(await unconverted()).toBe(0)
  })

  test('the results are those of the exact search, also of equal and almost equal vectors', async () => {
    const random = seeded(7)
    await fillWith(random, 500)
    const twin = numbers(random)
    await add([twin, twin, twin.map((n) => n + 1e-7), twin])
    expect(await unconverted()).toBe(0)
    await sameAsExact(twin)
    for (let i = 0; i < 20; i += 1) await sameAsExact(numbers(random))
  })

  test('vectors that pgvector does not take are found by the exact search', async () => {
    await add([Float32Array.from({ length: DIMENSION }, () => 3e38), numbers().fill(Infinity)])
    expect(await stores().collections.nearest?.(ID, { vector: numbers(), count: 1 })).toBe(null)
    await sameAsExact(numbers())
  })
})

const DIMENSION = 24

const stores = () => createFlowStore(db)

async function sameAsExact(vector: Float32Array): Promise<void> {
  const { collections } = stores()
  const exact: CollectionStore = { ...collections, nearest: () => Promise.resolve(null) }
  const place = { id: ID, dimension: DIMENSION }
  for (const count of [1, 4, 40]) {
    const query = { vector: [...vector], count }
    const expected = await searchCollection(exact, place, query)
    expect(expected).toHaveLength(count)
    expect(await searchCollection(collections, place, query)).toEqual(expected)
  }
}

async function fillWith(random: () => number, count: number): Promise<void> {
  const known = await stores().collections.get('u', 'knowledge', 'base')
  if (known === null) {
    await stores().collections.insert({
      id: ID,
      userId: 'u',
      kind: 'knowledge',
      name: 'base',
      provider: null,
      model: null,
      apiKey: null,
      createdAt: new Date(0),
    })
  }
  await add(Array.from({ length: count }, () => numbers(random)))
}

async function add(vectors: readonly Float32Array[]): Promise<void> {
  const rows = vectors.map((vector) => ({ id: randomUUID(), text: 'text', metadata: '{}', vector }))
  const size = { words: 1, characters: 1, bytes: 1, dimension: DIMENSION }
  expect(await stores().collections.add(ID, { rows, ...size }, 100_000)).toBe('added')
}

async function unconverted(): Promise<number> {
  const { rows } = await sql`select 1 from flow_vector where embedding is null`.execute(db)
  return rows.length
}

function numbers(random = seeded(3)): Float32Array {
  return Float32Array.from({ length: DIMENSION }, () => random() - 0.5)
}

/** Numbers from 0 to 1 that are the same in each run. */
function seeded(state: number): () => number {
  let current = state
  return () => {
    current = (current * 48_271) % 2_147_483_647
    return current / 2_147_483_647
  }
}

/** The features of a database are queried once per pool, so only a restart finds the extension. */
async function reopened(old: Kysely<unknown>): Promise<Kysely<unknown>> {
  await old.destroy()
  return openPostgres<unknown>(server.replace(/(\/\/[^/]*)\/[^?]*/, `$1/${name}`))
}

async function onServer(statement: string): Promise<void> {
  const admin = openPostgres<unknown>(server, { maxConnections: 1 })
  await sql.raw(statement).execute(admin)
  await admin.destroy()
}
