import assert from 'node:assert/strict'
import type { AuditRecord, AuditStore } from '../store/audit.ts'
import { idOf, timeOf } from './records.ts'
import { oddText } from '@x/wire'
import { describeStore } from '@x/flow-engine/internal/node'
import type { ContractOptions, TestFrame } from '@x/flow-engine/testing'

const record = (n: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  id: idOf(9, n),
  at: timeOf(n),
  action: 'user.changed',
  outcome: 'ok',
  actorId: idOf(1, 1),
  via: 'token',
  targetType: 'user',
  targetId: idOf(1, n),
  requestId: `r-${n}`,
  clientAddress: '203.0.113.7',
  details: { changed: ['username'] },
  ...more,
})

/** Defines the tests of an AuditStore; used like `defineFlowStoreContract`. */
export function defineAuditStoreContract(t: TestFrame, options: ContractOptions<AuditStore>): void {
  describeStore(t, `audit store: ${options.name}`, options, ({ it, store }) => {
    const numbers = async (query: Parameters<AuditStore['list']>[0]): Promise<number[]> =>
      (await store().list(query)).map(({ id }) => Number(id.slice(-2)))

    it('keeps every field, newest first', async () => {
      const odd = record(2, {
        actorId: null,
        via: null,
        targetType: null,
        targetId: null,
        requestId: oddText,
        clientAddress: null,
        outcome: 'refused',
        details: { [oddText]: [oddText, 1, null, { a: true }] },
      })
      await store().append([record(1), odd])
      assert.deepEqual(await store().list({ limit: 10 }), [odd, record(1)])
    })

    it('pages by the id of the last one, in order of insertion', async () => {
      // Later records may have an earlier time, because the clocks of processes differ.
      await store().append([record(5), record(4), record(3)])
      await store().append([record(2), record(1)])
      assert.deepEqual(await numbers({ limit: 2 }), [1, 2])
      assert.deepEqual(await numbers({ limit: 2, before: idOf(9, 2) }), [3, 4])
      assert.deepEqual(await numbers({ limit: 2, before: idOf(9, 4) }), [5])
      assert.deepEqual(await numbers({ limit: 2, before: idOf(9, 5) }), [])
      assert.deepEqual(await numbers({ limit: 2, before: idOf(9, 77) }), [])
    })

    it('selects by action, actor and target', async () => {
      await store().append([
        record(1, { action: 'sign_in' }),
        record(2, { actorId: idOf(1, 2) }),
        record(3),
      ])
      assert.deepEqual(await numbers({ limit: 9, action: 'sign_in' }), [1])
      assert.deepEqual(await numbers({ limit: 9, actorId: idOf(1, 2) }), [2])
      assert.deepEqual(await numbers({ limit: 9, targetId: idOf(1, 3) }), [3])
      assert.deepEqual(await numbers({ limit: 9, action: 'sign_in', targetId: idOf(1, 3) }), [])
    })

    it('trim removes what is older', async () => {
      await store().append([record(1), record(2), record(3)])
      await store().trim(timeOf(2))
      assert.deepEqual(await numbers({ limit: 9 }), [3, 2])
    })
  })
}
