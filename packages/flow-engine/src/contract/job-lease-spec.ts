import assert from 'node:assert/strict'
import type { JobStore } from '../store/job-store.ts'
import { at, newJob } from './job-fixtures.ts'
import type { TestFrame } from './test-frame.ts'

/** Leases, cancel requests and the removal of finished jobs. */
export function describeJobLeases(t: TestFrame, store: () => JobStore): void {
  t.it('FE-63 prolongs the lease of the worker that holds the job only', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a'))
    await queue.claim('w', at(100), at(1))
    assert.equal(await queue.heartbeat('a', 'w', at(200)), 'kept')
    assert.equal(await queue.heartbeat('a', 'other', at(200)), 'lost')
    assert.equal(await queue.heartbeat('unknown', 'w', at(200)), 'lost')
    assert.deepEqual(await queue.expired(at(150)), [])
    assert.deepEqual(
      (await queue.expired(at(201))).map(({ id, worker }) => [id, worker]),
      [['a', 'w']],
    )
  })

  t.it('FE-63 queues an expired job again when it can be resumed, else leaves it', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { resumable: true }))
    await queue.enqueue(newJob('b'))
    await queue.claim('w', at(100), at(1))
    await queue.claim('w', at(100), at(2))
    const expired = await queue.expired(at(101))
    assert.deepEqual(expired.map(({ id }) => id).toSorted(), ['a', 'b'])
    assert.equal((await queue.get('a'))?.state, 'queued')
    assert.equal(await queue.heartbeat('a', 'w', at(300)), 'lost')
    const finished = { state: 'failed' as const, finishedAt: at(102) }
    assert.equal(await queue.finish('b', 'w', finished), true)
    assert.equal((await queue.claim('w2', at(300), at(103)))?.id, 'a')
    assert.deepEqual(await queue.expired(at(104)), [])
  })

  t.it('FL-21 gives back jobs whose claims were not answered', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { resumable: true }))
    await queue.claim('p/1', at(100), at(1))
    await queue.unclaim?.(['p/1', 'p/2'])
    const again = await queue.claim('p/3', at(100), at(2))
    if (queue.unclaim !== undefined) assert.deepEqual([again?.id, again?.crashes], ['a', 0])
    assert.equal(await queue.heartbeat('a', 'p/1', at(200)), again === null ? 'kept' : 'lost')
  })

  t.it('FE-60 cancels a waiting job at once and tells the worker of a running one', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a'))
    await queue.enqueue(newJob('b'))
    await queue.claim('w', at(100), at(1))
    assert.equal(await queue.requestCancel('a', at(2)), true)
    assert.equal(await queue.requestCancel('b', at(2)), true)
    assert.equal(await queue.heartbeat('a', 'w', at(200)), 'cancel')
    const b = await queue.get('b')
    assert.deepEqual([b?.state, b?.finishedAt], ['cancelled', at(2)])
    assert.equal(await queue.claim('w', at(100), at(3)), null)
    assert.equal(await queue.requestCancel('b', at(4)), false)
    assert.equal(await queue.requestCancel('unknown', at(4)), false)
  })

  t.it('FL-32 keeps a job that a repeated request may ask for', async () => {
    const { queue } = store()
    for (const id of ['once-a', 'once-b', 'c']) {
      await queue.enqueue(newJob(id))
      await queue.requestCancel(id, at(id === 'once-a' ? 10 : 20))
    }
    const gone = await queue.trim({ before: at(30), keep: 0, once: at(15) })
    assert.deepEqual(gone.toSorted(), ['c', 'once-a'])
    assert.equal((await queue.get('once-b'))?.state, 'cancelled')
  })

  t.it('trims old and surplus finished jobs, and none that is spared', async () => {
    const { queue } = store()
    for (const [n, id] of ['a', 'b', 'c', 'd'].entries()) {
      await queue.enqueue(newJob(id))
      await queue.claim('w', at(1000), at(n))
      await queue.finish(id, 'w', { state: 'succeeded', finishedAt: at(10 * (n + 1)) })
    }
    await queue.enqueue(newJob('waiting'))
    assert.deepEqual(await queue.trim({ before: at(15), keep: 3 }), ['a'])
    assert.deepEqual(await queue.trim({ before: at(0), keep: 1, spare: at(25) }), ['b'])
    assert.deepEqual(await queue.trim({ before: at(0), keep: 1 }), ['c'])
    assert.equal(await queue.get('a'), null)
    assert.equal((await queue.get('d'))?.state, 'succeeded')
    assert.equal((await queue.get('waiting'))?.state, 'queued')
  })

  t.it('AB-74 keeps finished jobs of each lane: strangers push out only theirs', async () => {
    const { queue } = store()
    const ended = [
      ['own', ''],
      ['p1', 'public'],
      ['p2', 'public'],
      ['p3', 'public'],
    ] as const
    for (const [n, [id, lane]] of ended.entries()) {
      await queue.enqueue(newJob(id, { lane }))
      await queue.claim('w', at(1000), at(n))
      await queue.finish(id, 'w', { state: 'succeeded', finishedAt: at(10 * (n + 1)) })
    }
    await queue.enqueue(newJob('p4', { lane: 'public' }))
    await queue.requestCancel('p4', at(50))
    assert.deepEqual(await queue.trim({ before: at(0), keep: 2 }), ['p1', 'p2'])
    assert.equal((await queue.get('own'))?.state, 'succeeded')
    assert.equal((await queue.get('p4'))?.state, 'cancelled')
    assert.deepEqual((await queue.trim({ before: at(45), keep: 2 })).toSorted(), ['own', 'p3'])
  })
}
