import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import type { RunTraceQuery, RunTraceRecord } from '../store/run-traces.ts'
import { flow, idOf, timeOf, user } from './records.ts'
import { oddText } from '@x/wire'
import type { Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

const traceOf = (n: number, fields: Partial<RunTraceRecord> = {}): RunTraceRecord => ({
  id: idOf(12, n),
  flowId: idOf(5, 1),
  ownerId: ada,
  sessionId: 's',
  state: 'succeeded',
  startedAt: timeOf(n),
  finishedAt: timeOf(n + 1),
  inputTokens: 0,
  outputTokens: 0,
  error: null,
  details: '{}',
  ...fields,
})

/** Specs of run traces. */
export function describeRunTraces({ it, store }: Subject<FlowStore>): void {
  const prepared = async (): Promise<FlowStore> => {
    for (const n of [1, 2]) {
      await store().users.insert(user(n))
      await store().flows.insert([flow(n, { userId: idOf(1, n) })])
    }
    return store()
  }
  const numbers = async (query: Partial<RunTraceQuery> = {}): Promise<number[]> => {
    const found = await store().runTraces.list({ ownerId: ada, offset: 0, limit: 50, ...query })
    return found.items.map(({ id }) => Number(id.slice(-2)))
  }

  it('OP-5, runTraces: round trip of their owner, lists without what they tell', async () => {
    const { runTraces } = await prepared()
    const odd = traceOf(1, {
      sessionId: oddText,
      state: 'failed',
      inputTokens: 3,
      outputTokens: 4,
      error: oddText,
      details: JSON.stringify({ a: oddText }),
    })
    await runTraces.append([odd], 9)
    assert.deepEqual(await runTraces.get(ada, odd.id), odd)
    assert.equal(await runTraces.get(bob, odd.id), null)
    assert.equal(await runTraces.get(ada, idOf(12, 9)), null)
    const { details: _, ...summary } = odd
    assert.deepEqual(await runTraces.list({ ownerId: ada, offset: 0, limit: 9 }), {
      items: [summary],
      total: 1,
    })
  })

  it('OP-5, runTraces: half a character, which no database can store, breaks no list', async () => {
    const { runTraces } = await prepared()
    await runTraces.append([traceOf(1, { error: 'x\ud83d' }), traceOf(2)], 9)
    assert.deepEqual(await numbers(), [2, 1])
    assert.equal((await runTraces.get(ada, idOf(12, 1)))?.error?.[0], 'x')
  })

  it('OP-5, runTraces: the last started first, in slices, by every condition', async () => {
    const { runTraces } = await prepared()
    await runTraces.append(
      [
        traceOf(3, { state: 'failed' }),
        traceOf(1, { sessionId: 'S' }),
        traceOf(2, { flowId: idOf(5, 2), state: 'cancelled' }),
        traceOf(4, { startedAt: timeOf(1) }),
      ],
      9,
    )
    await runTraces.append([traceOf(5, { ownerId: bob })], 9)
    assert.deepEqual(await numbers(), [3, 2, 4, 1])
    assert.deepEqual(await numbers({ offset: 1, limit: 2 }), [2, 4])
    assert.deepEqual(await numbers({ offset: 4 }), [])
    assert.deepEqual(await numbers({ flowId: idOf(5, 2) }), [2])
    assert.deepEqual(await numbers({ sessionId: 'S' }), [1])
    assert.deepEqual(await numbers({ states: ['failed', 'cancelled'] }), [3, 2])
    assert.deepEqual(await numbers({ from: timeOf(2), to: timeOf(2) }), [2])
    assert.deepEqual(await numbers({ ownerId: bob }), [5])
    const { total } = await runTraces.list({ ownerId: ada, offset: 3, limit: 1 })
    assert.equal(total, 4)
  })

  it('OP-5, runTraces: the newest of each owner are kept; they go with their flow', async () => {
    const { runTraces, flows } = await prepared()
    await runTraces.append([traceOf(9, { ownerId: bob, flowId: idOf(5, 2) })], 2)
    await runTraces.append([traceOf(1), traceOf(2)], 2)
    await runTraces.append([traceOf(3)], 2)
    assert.deepEqual(await numbers(), [3, 2])
    assert.deepEqual(await numbers({ ownerId: bob }), [9])
    await flows.remove(ada, [idOf(5, 1)])
    assert.deepEqual(await numbers(), [])
    await store().users.remove(bob)
    assert.deepEqual(await numbers({ ownerId: bob }), [])
  })

  it('OP-5, runTraces: those of runs that end after their flow was removed are removed, too', async () => {
    const { runTraces, flows } = await prepared()
    await flows.remove(ada, [idOf(5, 1)])
    await runTraces.append([traceOf(1), traceOf(2, { flowId: idOf(5, 2) })], 9)
    await flows.removeRecords([idOf(5, 1), idOf(5, 2)], ada)
    assert.deepEqual(await numbers(), [2])
  })
}
