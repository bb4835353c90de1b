import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import type { FlowVersionRecord, NewFlowVersion } from '../store/flow-versions.ts'
import { flow, idOf, timeOf, user } from './records.ts'
import { oddText } from '@x/wire'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]
const flowId = idOf(5, 1)

const version = (n: number, more: Partial<NewFlowVersion> = {}): NewFlowVersion => ({
  id: idOf(11, n),
  flowId,
  userId: ada,
  description: null,
  data: `{"n":${n}}`,
  hash: n.toString(16).padStart(64, '0'),
  createdAt: timeOf(n),
  ...more,
})

async function prepared(store: FlowStore): Promise<FlowStore> {
  await store.users.insert(user(1))
  await store.users.insert(user(2))
  await store.flows.insert([flow(1), flow(2)])
  return store
}

const numbersOf = (versions: readonly FlowVersionRecord[]): number[] =>
  versions.map(({ number }) => number)

/** Specs of flow versions. */
export function describeFlowVersions({ it, store }: Subject<FlowStore>): void {
  it('versions: what was added comes back equal, by id and by number; a list has no data', async () => {
    const { versions } = await prepared(store())
    const { hash: _, ...given } = version(1, {
      description: oddText,
      data: JSON.stringify(oddText),
    })
    const expected = { ...given, number: 1 }
    assert.deepEqual(await versions.add({ ...given, hash: 'a' }, 10), expected)
    assert.deepEqual(await versions.get(flowId, given.id), expected)
    assert.deepEqual(await versions.findByNumber(flowId, 1), expected)
    assert.deepEqual(await versions.list(flowId, {}), [{ ...expected, data: null }])
    const empty = await versions.add(version(2, { data: null, hash: null }), 10)
    assert.deepEqual([empty?.number, empty?.data], [2, null])
    assert.equal((await versions.get(flowId, idOf(11, 2)))?.data, null)
  })

  it('versions: numbers count up for each flow and are never given twice', async () => {
    const { versions } = await prepared(store())
    for (const n of [1, 2, 3]) await versions.add(version(n), 10)
    assert.equal(await versions.remove(flowId, idOf(11, 3)), true)
    assert.equal(await versions.remove(flowId, idOf(11, 3)), false)
    assert.equal((await versions.add(version(4), 10))?.number, 4)
    assert.equal((await versions.add(version(5, { flowId: idOf(5, 2) }), 10))?.number, 1)
    const together = await Promise.all([6, 7, 8, 9].map((n) => versions.add(version(n), 10)))
    assert.deepEqual(
      together.map((one) => one?.number ?? 0).toSorted((a, b) => a - b),
      [5, 6, 7, 8],
    )
    assert.deepEqual(numbersOf(await versions.list(flowId, {})), [8, 7, 6, 5, 4, 2, 1])
    assert.deepEqual(numbersOf(await versions.list(flowId, { offset: 1, limit: 2 })), [7, 6])
  })

  it('versions: the oldest go beyond those that are kept', async () => {
    const { versions } = await prepared(store())
    for (const n of [1, 2, 3, 4]) await versions.add(version(n), 2)
    assert.deepEqual(numbersOf(await versions.list(flowId, {})), [4, 3])
    assert.equal(await versions.get(flowId, idOf(11, 1)), null)
    assert.equal((await versions.get(flowId, idOf(11, 3)))?.data, '{"n":3}')
  })

  it('versions: equal data outlives the version that brought it', async () => {
    const { versions } = await prepared(store())
    const same = { data: '{"same":true}', hash: 'e'.repeat(64) }
    for (const n of [1, 2, 3]) await versions.add(version(n, same), 10)
    await versions.remove(flowId, idOf(11, 1))
    assert.equal((await versions.get(flowId, idOf(11, 3)))?.data, same.data)
    await versions.remove(flowId, idOf(11, 2))
    await versions.remove(flowId, idOf(11, 3))
    await versions.add(version(4, same), 10)
    assert.equal((await versions.findByNumber(flowId, 4))?.data, same.data)
  })

  it('versions: of a flow of somebody else, or of none, nothing is kept', async () => {
    const { versions } = await prepared(store())
    assert.equal(await versions.add(version(1, { userId: bob }), 10), null)
    assert.equal(await versions.add(version(1, { flowId: idOf(5, 9) }), 10), null)
    await versions.add(version(1), 10)
    assert.equal(await versions.get(idOf(5, 2), idOf(11, 1)), null)
    assert.equal(await versions.findByNumber(idOf(5, 2), 1), null)
    assert.equal(await versions.remove(idOf(5, 2), idOf(11, 1)), false)
    await conflicts('flowVersion.id', () => versions.add(version(1), 10))
    assert.equal((await versions.add(version(2), 10))?.number, 2)
  })

  it('versions: they go with their flow, and with their user', async () => {
    const { versions, flows, users } = await prepared(store())
    await versions.add(version(1), 10)
    await versions.add(version(2, { flowId: idOf(5, 2) }), 10)
    await flows.remove(ada, [flowId])
    assert.deepEqual(await versions.list(flowId, {}), [])
    assert.equal((await versions.list(idOf(5, 2), {})).length, 1)
    await users.remove(ada)
    assert.deepEqual(await versions.list(idOf(5, 2), {}), [])
  })

  it('versions: a transaction that fails takes back the version and its number', async () => {
    const whole = await prepared(store())
    await assert.rejects(
      whole.transaction(async (tx) => {
        await tx.versions.add(version(1), 10)
        throw new Error('no')
      }),
    )
    assert.deepEqual(await whole.versions.list(flowId, {}), [])
    assert.equal((await whole.versions.add(version(2), 10))?.number, 1)
  })
}
