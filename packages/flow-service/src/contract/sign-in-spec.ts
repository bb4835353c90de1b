import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import { idOf, timeOf, user } from './records.ts'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const ada = idOf(1, 1)
const family = (n: number) => ({
  id: idOf(11, n),
  userId: ada,
  createdAt: timeOf(1),
  expiresAt: timeOf(n),
})
const token = (n: number): string => idOf(12, n)

/** Specs of refresh families and identity links. */
export function describeSignIn({ it, store }: Subject<FlowStore>): void {
  it('refreshFamilies: the first use wins, later ones learn of it', async () => {
    await store().users.insert(user(1))
    const { refreshFamilies } = store()
    await refreshFamilies.insert(family(5), token(1))
    await conflicts('refreshFamily.id', () => refreshFamilies.insert(family(5), token(9)))
    assert.deepEqual(await refreshFamilies.get(family(5).id), family(5))
    const use = (n: number, successor: number, at: number) =>
      refreshFamilies.use({
        familyId: family(5).id,
        tokenId: token(n),
        successorId: token(successor),
        at: timeOf(at),
      })
    const both = await Promise.all([use(1, 2, 1), use(1, 3, 2)])
    assert.equal(both.filter((result) => result?.first === true).length, 1)
    assert.equal(new Set(both.map((result) => result?.successorId)).size, 1)
    const successor = both[0]?.successorId === token(2) ? 2 : 3
    assert.equal((await use(successor, 4, 3))?.first, true)
    assert.equal(await use(successor === 2 ? 3 : 2, 5, 3), null)
    assert.equal(await use(77, 5, 3), null)
  })

  it('refreshFamilies: removed one by one, by user and by age', async () => {
    await store().users.insert(user(1))
    const { refreshFamilies } = store()
    for (const n of [2, 3, 4, 5]) await refreshFamilies.insert(family(n), token(n))
    await refreshFamilies.remove(family(2).id)
    await refreshFamilies.remove(family(2).id)
    const left = async (): Promise<number[]> => {
      const found = await Promise.all([2, 3, 4, 5].map((n) => refreshFamilies.get(family(n).id)))
      return found.flatMap((row, i) => (row === null ? [] : i + 2))
    }
    assert.deepEqual(await left(), [3, 4, 5])
    await refreshFamilies.trim(timeOf(4))
    assert.deepEqual(await left(), [4, 5])
    await refreshFamilies.removeOfUser(ada)
    assert.deepEqual(await left(), [])
  })

  it('refreshFamilies: the newest of a user stay', async () => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    const { refreshFamilies } = store()
    await refreshFamilies.insert({ ...family(9), userId: idOf(1, 2) }, token(9))
    // Insertion order: equal times, and different from the order of ids.
    for (const n of [7, 2, 5, 3]) await refreshFamilies.insert(family(n), token(n))
    await refreshFamilies.keepNewest(ada, 4)
    await refreshFamilies.keepNewest(ada, 2)
    const found = await Promise.all([7, 2, 5, 3, 9].map((n) => refreshFamilies.get(family(n).id)))
    assert.deepEqual(
      found.map((row) => row !== null),
      [false, false, true, true, true],
    )
  })

  it('refreshFamilies: one stays without its refresh tokens, the others of its user go', async () => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    const { refreshFamilies } = store()
    for (const n of [2, 3]) await refreshFamilies.insert(family(n), token(n))
    await refreshFamilies.insert({ ...family(4), userId: idOf(1, 2) }, token(4))
    await refreshFamilies.keepOnly(ada, family(3).id)
    assert.equal(await refreshFamilies.get(family(2).id), null)
    assert.deepEqual(await refreshFamilies.get(family(3).id), family(3))
    const use = (n: number) =>
      refreshFamilies.use({
        familyId: family(n).id,
        tokenId: token(n),
        successorId: token(n + 10),
        at: timeOf(1),
      })
    assert.equal(await use(3), null)
    assert.equal((await use(4))?.first, true)
  })

  it('oidcLinks: one for issuer and subject', async () => {
    await store().users.insert(user(1))
    const { oidcLinks } = store()
    const link = { issuer: 'https://i', subject: 's', userId: ada, createdAt: timeOf(1) }
    await oidcLinks.insert(link)
    await conflicts('oidcLink.subject', () => oidcLinks.insert(link))
    await oidcLinks.insert({ ...link, issuer: 'https://j' })
    assert.deepEqual(await oidcLinks.find('https://i', 's'), link)
    assert.equal(await oidcLinks.find('https://i', 'S'), null)
  })
}
