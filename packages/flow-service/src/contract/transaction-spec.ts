import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import { flow, idOf, project, user } from './records.ts'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

/** Specs of transactions across several resources. */
export function describeTransactions({ it, store }: Subject<FlowStore>): void {
  it('transaction: keeps everything and gives the result', async () => {
    const result = await store().transaction(async (tx) => {
      await tx.users.insert(user(1))
      await tx.projects.insert(project(1))
      return (await tx.users.get(idOf(1, 1)))?.username
    })
    assert.equal(result, 'user-1')
    assert.notEqual(await store().users.get(idOf(1, 1)), null)
    assert.equal((await store().projects.list(idOf(1, 1))).length, 1)
  })

  it('transaction: a throw undoes everything and comes through as it was', async () => {
    await store().users.insert(user(1))
    const reason = new Error('no')
    await assert.rejects(
      store().transaction(async (tx) => {
        await tx.users.update(idOf(1, 1), { username: 'other' })
        await tx.flows.insert([flow(1)])
        await tx.users.insert(user(2))
        throw reason
      }),
      (error) => error === reason,
    )
    assert.deepEqual(await store().users.get(idOf(1, 1)), user(1))
    assert.equal(await store().users.get(idOf(1, 2)), null)
    assert.equal(await store().flows.get(idOf(5, 1)), null)
    await store().users.insert(user(2, { username: 'other' }))
  })

  it('transaction: one inside another joins it', async () => {
    await assert.rejects(
      store().transaction(async (tx) => {
        await tx.transaction((inner) => inner.users.insert(user(1)))
        throw new Error('no')
      }),
    )
    assert.equal(await store().users.get(idOf(1, 1)), null)
  })

  it('transaction: many at once all succeed, and a second writer loses exactly once', async () => {
    await store().users.insert(user(1))
    const names = ['a', 'a', 'b', 'c', 'd', 'e']
    const outcomes = await Promise.allSettled(
      names.map((name, n) => store().transaction((tx) => tx.projects.insert(project(n, { name })))),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1)
    assert.equal((await store().projects.list(idOf(1, 1))).length, 5)
    await conflicts('project.name', () => store().projects.insert(project(20, { name: 'a' })))
  })

  it('ping: the store answers', async () => {
    await store().ping()
  })
}
