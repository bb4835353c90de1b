import { append, oddText } from '@x/wire'
import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import type { StoredMessageQuery, StoredMessage } from '../store/messages.ts'
import { insertTwoFlows } from './insert-two-flows.ts'
import { idOf, message, oddJson, timeOf, transactionOf, vertexBuild } from './records.ts'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

/** Specs of messages. */
export function describeMessages({ it, store }: Subject<FlowStore>): void {
  const numbers = async (query: StoredMessageQuery): Promise<number[]> =>
    (await store().messages.list(query)).map((row) => Number(row.id.slice(-2)))

  it('messages: round trip, update and removal', async () => {
    const { messages } = await insertTwoFlows(store())
    const odd = message(1, {
      text: oddText,
      senderName: oddText,
      sessionId: oddText,
      contextId: null,
      files: ['a/b', oddText],
      error: true,
      edit: true,
      category: 'error',
      properties: oddJson,
      contentBlocks: [oddJson, {}],
      duration: 1.5,
    })
    await messages.insert(odd)
    await messages.insert(
      message(2, { userId: null, flowId: null, sender: null, senderName: null }),
    )
    assert.deepEqual(await messages.get(odd.id), odd)
    await conflicts('message.id', () => messages.insert(message(1)))
    assert.deepEqual(await messages.update(odd.id, { text: '', properties: {} }), {
      ...odd,
      text: '',
      properties: {},
    })
    assert.equal(await messages.update(idOf(7, 9), { text: '' }), null)
    await messages.remove([odd.id, idOf(7, 9)], bob)
    assert.notEqual(await messages.get(odd.id), null)
    await messages.remove([odd.id, idOf(7, 2)])
    assert.equal(await messages.get(odd.id), null)
    assert.equal(await messages.get(idOf(7, 2)), null)
  })

  it('messages: lists by insertion or by one column, from either end', async () => {
    const { messages } = await insertTwoFlows(store())
    await messages.insert(message(3, { timestamp: timeOf(1), text: 'b', contextId: null }))
    await messages.insert(message(1, { timestamp: timeOf(5), text: 'a' }))
    await messages.insert(message(2, { timestamp: timeOf(1), text: 'B' }))
    assert.deepEqual(await numbers({ userId: ada }), [3, 1, 2])
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'timestamp' }), [3, 2, 1])
    assert.deepEqual(
      await numbers({ userId: ada, orderBy: 'timestamp', descending: true }),
      [1, 2, 3],
    )
    assert.deepEqual(
      await numbers({ userId: ada, orderBy: 'timestamp', descending: true, limit: 2 }),
      [1, 2],
    )
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'text' }), [2, 1, 3])
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'contextId' }), [3, 1, 2])
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'id' }), [1, 2, 3])
    assert.deepEqual(await numbers({ userId: ada, descending: true, limit: 1 }), [2])
    for (const orderBy of ['sender', 'senderName', 'sessionId', 'error', 'edit'] as const) {
      assert.deepEqual(await numbers({ userId: ada, orderBy }), [3, 1, 2])
    }
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'category', limit: 0 }), [])
    assert.deepEqual(await numbers({ userId: ada, orderBy: 'flowId', limit: 1 }), [3])
  })

  it('messages: filters are joined, letter case counts, rows without a flow are nobody’s', async () => {
    const { messages } = await insertTwoFlows(store())
    await messages.insert(message(1, { sessionId: 's', sender: 'Machine', contextId: 'c' }))
    await messages.insert(message(2, { sessionId: 'S', senderName: 'AI', error: true }))
    await messages.insert(message(3, { flowId: null }))
    await messages.insert(message(4, { userId: bob, flowId: idOf(5, 2), sessionId: 's' }))
    await messages.insert(message(5, { userId: null, flowId: idOf(5, 77), sessionId: 's' }))
    assert.deepEqual(await numbers({ userId: ada }), [1, 2])
    assert.deepEqual(await numbers({ userId: ada, errors: false }), [1])
    assert.deepEqual(await numbers({ userId: ada, sessionId: 's' }), [1])
    assert.deepEqual(await numbers({ userId: ada, sessionId: 's', sender: 'User' }), [])
    assert.deepEqual(await numbers({ userId: ada, contextId: 'c', sender: 'Machine' }), [1])
    assert.deepEqual(await numbers({ userId: ada, senderName: 'AI' }), [2])
    assert.deepEqual(await numbers({ userId: ada, flowId: idOf(5, 2) }), [])
    assert.deepEqual(await numbers({ userId: null }), [5])
    assert.deepEqual(await numbers({ sessionId: 's' }), [1, 4, 5])
    assert.deepEqual(await messages.sessions(ada), ['s', 'S'])
    assert.deepEqual(await messages.sessions(ada, idOf(5, 2)), [])
  })

  it('messages: parts have the rows of the list, large ones alone', async () => {
    const { messages } = await insertTwoFlows(store())
    if (messages.parts === undefined) return
    const long = 'é'.repeat(700_000)
    for (let n = 1; n <= 9; n += 1) {
      const sessionId = ['', oddText, 'c'][n % 3] ?? ''
      const text = n % 4 === 1 ? `${n}${long}` : oddText
      const more = { sessionId, text, sender: n === 6 ? 'Machine' : 'User' }
      await messages.insert(message(n, { timestamp: timeOf(9 - (n % 5)), ...more }))
    }
    await messages.insert(message(10, { flowId: null }))
    await messages.insert(message(11, { userId: bob, flowId: idOf(5, 2), sessionId: '' }))
    const flowId = idOf(5, 1)
    for (const more of [
      {},
      { sessionId: '' },
      { sessionId: oddText },
      { flowId },
      { flowId, sessionId: 'c' },
      { flowId: idOf(5, 2) },
      { sender: 'User' },
      { sessionId: 'nobody’s' },
    ]) {
      for (const order of [{}, { orderBy: 'timestamp' }] as const) {
        const query = { userId: ada, ...more, ...order }
        const read: StoredMessage[] = []
        for await (const part of messages.parts(query)) {
          assert.equal(part.filter(({ text }) => text.length > 700_000).length <= 1, true)
          append(read, part)
        }
        assert.deepEqual(read, await messages.list(query))
      }
    }
    const parts = messages.parts({ userId: ada })[Symbol.asyncIterator]()
    const first = (await parts.next()) as IteratorResult<StoredMessage[], undefined>
    assert.equal(first.value?.[0]?.id, idOf(7, 1))
    await messages.remove([2, 3, 4, 6].map((n) => idOf(7, n)))
    const rest: string[] = []
    for (let part = await parts.next(); part.done !== true; part = await parts.next())
      for (const { id } of part.value as StoredMessage[]) rest.push(id)
    assert.deepEqual(
      rest.slice(-4),
      [5, 7, 8, 9].map((n) => idOf(7, n)),
    )
  })

  it('messages: renames and removes sessions of one user', async () => {
    const { messages } = await insertTwoFlows(store())
    await messages.insert(message(1, { sessionId: 'b' }))
    await messages.insert(message(3, { sessionId: 'a' }))
    await messages.insert(message(2, { sessionId: 'a' }))
    await messages.insert(message(4, { userId: bob, flowId: idOf(5, 2), sessionId: 'a' }))
    const renamed = await messages.renameSession(ada, 'a', 'b')
    assert.deepEqual(renamed, [message(3, { sessionId: 'b' }), message(2, { sessionId: 'b' })])
    assert.deepEqual(await messages.renameSession(ada, 'a', 'b'), [])
    await messages.removeSession(ada, 'b')
    assert.deepEqual(await numbers({}), [4])
    await messages.removeSession(ada, 'a')
    assert.deepEqual(await numbers({}), [4])
  })

  it('messages: old ones of public builds are trimmed', async () => {
    const { messages } = await insertTwoFlows(store())
    await messages.insert(message(1))
    await messages.insert(message(2, { userId: null }))
    await messages.insert(message(3, { userId: null }))
    await messages.trimPublic(timeOf(3))
    assert.deepEqual(await numbers({}), [1, 3])
  })
}

/** Specs of vertex builds and transactions. */
export function describeBuildRecords({ it, store }: Subject<FlowStore>): void {
  const ids = async (n: number): Promise<string[]> =>
    (await store().vertexBuilds.latest(idOf(5, n))).map((row) => row.buildId)

  it('vertexBuilds: the newest of each vertex, in order; limits drop the oldest', async () => {
    const { vertexBuilds } = await insertTwoFlows(store())
    const limits = { perVertex: 2, perOwner: 4 }
    const odd = vertexBuild(3, {
      vertexId: 'B',
      valid: false,
      params: oddText,
      data: JSON.stringify(oddJson),
      artifacts: '{"a":1}',
    })
    await vertexBuilds.append([vertexBuild(1, { vertexId: 'A' }), odd], limits)
    await vertexBuilds.append([vertexBuild(2, { vertexId: 'A' })], limits)
    assert.deepEqual(await vertexBuilds.latest(idOf(5, 1)), [
      odd,
      vertexBuild(2, { vertexId: 'A' }),
    ])
    await vertexBuilds.append(
      [4, 5].map((n) => vertexBuild(n, { vertexId: 'A' })),
      limits,
    )
    assert.deepEqual(await ids(1), [idOf(8, 3), idOf(8, 5)])
    const others = [6, 7, 8].map((n) => vertexBuild(n, { flowId: idOf(5, 2), vertexId: `${n}` }))
    await vertexBuilds.append(others, limits)
    assert.deepEqual(await ids(1), [idOf(8, 5)])
    assert.deepEqual(await ids(2), [idOf(8, 6), idOf(8, 7), idOf(8, 8)])
    await vertexBuilds.removeOfFlow(idOf(5, 2))
    assert.deepEqual(await ids(2), [])
  })

  it('AB-74, vertexBuilds: users and visitors push out only their own', async () => {
    const { vertexBuilds } = await insertTwoFlows(store())
    const limits = { perVertex: 1, perOwner: 2 }
    const of = (n: number, ownerId: string | null, k: number) =>
      vertexBuild(n, { ownerId, flowId: idOf(5, k), vertexId: `${n}` })
    await vertexBuilds.append([of(1, ada, 1), of(2, bob, 2)], limits)
    await vertexBuilds.append(
      [70, 71, 72, 73].map((n) => of(n, null, n)),
      limits,
    )
    await vertexBuilds.append(
      [3, 4, 5].map((n) => of(n, bob, 2)),
      limits,
    )
    assert.deepEqual(await ids(1), [idOf(8, 1)])
    assert.deepEqual(await ids(2), [idOf(8, 4), idOf(8, 5)])
    assert.deepEqual(await Promise.all([70, 71, 72, 73].map(ids)), [
      [],
      [],
      [idOf(8, 72)],
      [idOf(8, 73)],
    ])
    assert.deepEqual(await vertexBuilds.latest(idOf(5, 73)), [of(73, null, 73)])
  })

  it('AB-74, transactions: those of visitors are trimmed in all, and by age', async () => {
    const { transactions } = await insertTwoFlows(store())
    const of = (n: number, ownerId: string | null) =>
      transactionOf(n, { ownerId, flowId: idOf(5, n) })
    await transactions.append([of(1, ada), of(2, bob)], 2)
    for (const n of [70, 71, 72, 73]) await transactions.append([of(n, null)], 2)
    const left = async (): Promise<number[]> => {
      const counts: number[] = []
      for (const n of [1, 2, 70, 71, 72, 73])
        counts.push((await transactions.list(idOf(5, n), {})).total)
      return counts
    }
    assert.deepEqual(await left(), [1, 1, 0, 0, 1, 1])
    assert.deepEqual((await transactions.list(idOf(5, 73), {})).items, [of(73, null)])
    await transactions.trimPublic(timeOf(73))
    assert.deepEqual(await left(), [1, 1, 0, 0, 0, 1])
  })

  it('vertexBuilds: old ones of public builds are trimmed', async () => {
    const { vertexBuilds } = await insertTwoFlows(store())
    const limits = { perVertex: 9, perOwner: 9 }
    await vertexBuilds.append([vertexBuild(1)], limits)
    await vertexBuilds.append([vertexBuild(2, { flowId: idOf(5, 70) })], limits)
    await vertexBuilds.append([vertexBuild(3, { flowId: idOf(5, 71) })], limits)
    await vertexBuilds.trimPublic(timeOf(3))
    assert.deepEqual(await ids(1), [idOf(8, 1)])
    assert.deepEqual(await ids(70), [])
    assert.deepEqual(await ids(71), [idOf(8, 3)])
  })

  it('transactions: in order of insertion, in slices, newest kept of each flow', async () => {
    const { transactions } = await insertTwoFlows(store())
    const odd = transactionOf(3, {
      targetId: 'B',
      inputs: JSON.stringify(oddJson),
      outputs: '{}',
      status: 'error',
      error: oddText,
    })
    await transactions.append([transactionOf(1), odd, transactionOf(2)], 2)
    await transactions.append([transactionOf(4, { flowId: idOf(5, 2) })], 2)
    assert.deepEqual(await transactions.list(idOf(5, 1), {}), {
      items: [odd, transactionOf(2)],
      total: 2,
    })
    assert.deepEqual(await transactions.list(idOf(5, 1), { offset: 1, limit: 5 }), {
      items: [transactionOf(2)],
      total: 2,
    })
    await transactions.removeOfFlow(idOf(5, 1))
    assert.equal((await transactions.list(idOf(5, 1), {})).total, 0)
    assert.equal((await transactions.list(idOf(5, 2), {})).total, 1)
  })
}
