import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineFlowStoreContract } from '../contract/flow-store-spec.ts'
import { user } from '../contract/records.ts'
import type { UserChange } from '../store/users.ts'
import { createMemoryFlowStore } from './flow-store.ts'

defineFlowStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'memory', create: () => createMemoryFlowStore() },
)

describe('createMemoryFlowStore', () => {
  it('SU-2 calls onUserWrite for every user write, inside its transaction', async () => {
    const changes: UserChange[] = []
    const store = createMemoryFlowStore({ onUserWrite: (change) => void changes.push(change) })
    await store.users.insert(user(1))
    await store.users.update(user(1).id, { isActive: false })
    await store.users.update(user(1).id, { isActive: true })
    await store.users.update(user(1).id, { profileImage: 'x' })
    await store.users.remove(user(1).id)
    expect(changes.map(({ kind }) => kind)).toEqual([
      'create',
      'deactivate',
      'reactivate',
      'update',
      'remove',
    ])
    expect(changes[1]).toEqual({
      kind: 'deactivate',
      before: user(1),
      after: user(1, { isActive: false }),
    })
  })

  it('SU-2 a throwing onUserWrite undoes the write', async () => {
    const store = createMemoryFlowStore({
      onUserWrite: async (_change, transaction) => {
        await transaction.users.get(user(1).id)
        throw new Error('refused')
      },
    })
    await expect(store.users.insert(user(1))).rejects.toThrow('refused')
    expect(await store.users.get(user(1).id)).toBeNull()
  })

  it('calls from outside wait for a running transaction', async () => {
    const store = createMemoryFlowStore()
    const failing = store.transaction(async (tx) => {
      await tx.users.insert(user(1))
      throw new Error('no')
    })
    const [outcome, found] = await Promise.allSettled([failing, store.users.get(user(1).id)])
    expect(outcome.status).toBe('rejected')
    expect(found).toEqual({ status: 'fulfilled', value: null })
  })
})
