import assert from 'node:assert/strict'
import type { JobStore } from '../store/job-store.ts'
import { isQueueFull, isUniqueConflict } from '../store/store-error.ts'
import { at, newJob } from './job-fixtures.ts'
import type { TestFrame } from './test-frame.ts'

/** Waiting, claimed, suspended and finished jobs. */
export function describeJobQueue(t: TestFrame, store: () => JobStore): void {
  t.it('FE-62 claims jobs in the order they were queued, each once', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { createdAt: at(5) }))
    await queue.enqueue(newJob('b', { createdAt: at(5) }))
    const first = await queue.claim('w1', at(100), at(10))
    const second = await queue.claim('w2', at(100), at(11))
    assert.deepEqual([first?.id, first?.worker, first?.state], ['a', 'w1', 'running'])
    assert.deepEqual([second?.id, second?.startedAt], ['b', at(11)])
    assert.equal(second?.request, '{"text":"ünïcode"}')
    assert.equal(await queue.claim('w1', at(100), at(12)), null)
  })

  t.it('FL-36 keeps the result of a job with its end, where it keeps results', async () => {
    const { queue } = store()
    if (queue.readResult === undefined) return
    await queue.enqueue(newJob('a'))
    await queue.claim('w', at(100), at(1))
    assert.equal(await queue.readResult('a'), null)
    const result = '{"text":"ünï\\u0000 \u0000"}'
    const outcome = { state: 'succeeded', finishedAt: at(2), result } as const
    assert.equal(await queue.finish('a', 'other', outcome), false)
    assert.equal(await queue.readResult('a'), null)
    assert.equal(await queue.finish('a', 'w', outcome), true)
    assert.equal(await queue.readResult('a'), result)
    assert.equal(await queue.readResult('unknown'), null)
  })

  t.it('DO-14 stores a job that runs, or has run, with its log, where it can', async () => {
    const { queue, log, checkpoints } = store()
    if (queue.adopt === undefined) return
    const events = [{ seq: 0, event: 'vertices_sorted', data: '{"ids":["ü"]}' }]
    const claim = { leaseUntil: at(100), startedAt: at(1), checkpoints: [], events }
    const states = [{ vertexId: 'v', state: '{}' }]
    const running = newJob('a', { userId: 'ada', maxRunningPerUser: 1, resumable: true })
    await queue.adopt({ ...claim, job: running, worker: 'w/1', checkpoints: states })
    const outcome = { state: 'succeeded', finishedAt: at(2) } as const
    await queue.adopt({ ...claim, job: newJob('b', { userId: 'ada' }), worker: 'w/2', outcome })
    const [a, b] = [await queue.get('a'), await queue.get('b')]
    assert.deepEqual([a?.state, a?.attempts, a?.startedAt], ['running', 1, at(1)])
    assert.deepEqual([b?.state, b?.finishedAt], ['succeeded', at(2)])
    assert.deepEqual(await log.read('a', -1, 10), events)
    assert.deepEqual(await checkpoints.list('a'), states)
    // It counts as one that was claimed.
    assert.equal(await queue.heartbeat('a', 'w/1', at(200)), 'kept')
    await queue.enqueue(newJob('c', { userId: 'ada', maxRunningPerUser: 1 }))
    assert.equal(await queue.claim('w/3', at(100), at(3)), null)
    await assert.rejects(
      queue.adopt({ ...claim, job: running, worker: 'w/4', outcome }),
      isUniqueConflict,
    )
    assert.equal((await queue.get('a'))?.state, 'running')
    const [left] = await queue.expired(at(300))
    assert.equal(left?.id, 'a')
    assert.equal((await queue.claim('w/5', at(400), at(301)))?.attempts, 2)
    await queue.finish('a', 'w/5', outcome)
    assert.equal((await queue.claim('w/6', at(400), at(302)))?.id, 'c')
  })

  t.it('FE-62 gives one job to one of many workers', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a'))
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) => queue.claim(`w${n}`, at(100), at(1))),
    )
    assert.equal(claims.filter((job) => job !== null).length, 1)
  })

  t.it('refuses an id twice, and more jobs than may wait', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { maxQueued: 2 }))
    await assert.rejects(queue.enqueue(newJob('a')), isUniqueConflict)
    await queue.enqueue(newJob('b', { maxQueued: 2 }))
    await assert.rejects(queue.enqueue(newJob('c', { maxQueued: 2 })), isQueueFull)
    await queue.claim('w', at(100), at(1))
    await queue.enqueue(newJob('c', { maxQueued: 2 }))
  })

  t.it('leaves a job while its user has enough running ones', async () => {
    const { queue } = store()
    const limited = { userId: 'u1', maxRunningPerUser: 1 }
    await queue.enqueue(newJob('a', limited))
    await queue.enqueue(newJob('b', limited))
    await queue.enqueue(newJob('c', { userId: 'u2', maxRunningPerUser: 1 }))
    assert.equal((await queue.claim('w', at(100), at(1)))?.id, 'a')
    assert.equal((await queue.claim('w', at(100), at(1)))?.id, 'c')
    assert.equal(await queue.claim('w', at(100), at(1)), null)
    await queue.finish('a', 'w', { state: 'succeeded', finishedAt: at(2) })
    assert.equal((await queue.claim('w', at(100), at(3)))?.id, 'b')
  })

  t.it(
    'AB-70 hands out the jobs of the lanes that have room, and counts each lane for itself',
    async () => {
      const { queue } = store()
      const limited = { userId: 'u1', maxRunningPerUser: 1, maxQueued: 2 }
      await queue.enqueue(newJob('p1', { ...limited, lane: 'public', maxRunningPerUser: null }))
      await queue.enqueue(newJob('p2', { ...limited, lane: 'public', maxRunningPerUser: null }))
      await assert.rejects(queue.enqueue(newJob('p3', { ...limited, lane: 'public' })), isQueueFull)
      await queue.enqueue(newJob('a', limited))
      await queue.enqueue(newJob('w', { ...limited, lane: 'webhook' }))
      const claim = async (...lanes: string[]) =>
        (await queue.claim('w', at(100), at(1), lanes))?.id
      assert.equal(await claim(''), 'a')
      assert.equal(await claim(''), undefined)
      assert.equal(await claim('webhook', ''), 'w')
      assert.equal(await claim('public'), 'p1')
      assert.equal((await queue.claim('w', at(100), at(1)))?.lane, 'public')
      assert.equal((await queue.get('w'))?.lane, 'webhook')
    },
  )

  t.it('FL-6 queues several jobs in their order, all or none', async () => {
    const { queue } = store()
    if (queue.enqueueAll === undefined) return
    await queue.enqueueAll([])
    await queue.enqueueAll([1, 2, 3].map((n) => newJob(`a${n}`, { maxQueued: 4 })))
    const full = [1, 2].map((n) => newJob(`b${n}`, { maxQueued: 4, request: '"\u0000é"' }))
    await assert.rejects(queue.enqueueAll(full), isQueueFull)
    assert.equal(await queue.get('b1'), null)
    await queue.enqueueAll(full.slice(0, 1))
    await assert.rejects(queue.enqueueAll([newJob('c'), newJob('a1')]), isUniqueConflict)
    assert.equal(await queue.get('c'), null)
    const ids: (string | undefined)[] = []
    for (const n of [1, 2, 3, 4]) ids.push((await queue.claim(`w/${n}`, at(100), at(1)))?.id)
    assert.deepEqual(ids, ['a1', 'a2', 'a3', 'b1'])
    assert.equal((await queue.get('b1'))?.request, '"\u0000é"')
  })

  t.it('FL-43 users take turns: fewest running jobs first, then who waits longest', async () => {
    const { queue } = store()
    if (queue.absolve === undefined) return
    for (const id of ['a1', 'a2', 'a3', 'a4']) await queue.enqueue(newJob(id, { userId: 'a' }))
    await queue.enqueue(newJob('b1', { userId: 'b' }))
    await queue.enqueue(newJob('n1'))
    await queue.enqueue(newJob('b2', { userId: 'b' }))
    await queue.enqueue(newJob('n2'))
    const next = async (): Promise<string | undefined> =>
      (await queue.claim('w/1', at(100), at(1)))?.id
    assert.deepEqual([await next(), await next(), await next()], ['a1', 'b1', 'n1'])
    await queue.finish('b1', 'w/1', { state: 'succeeded', finishedAt: at(2) })
    assert.deepEqual([await next(), await next(), await next()], ['b2', 'a2', 'n2'])
    assert.deepEqual([await next(), await next(), await next()], ['a3', 'a4', undefined])
  })

  t.it('FL-43 priority orders the jobs of one user only', async () => {
    const { queue } = store()
    if (queue.absolve === undefined) return
    await queue.enqueue(newJob('a1', { userId: 'a', priority: -10 }))
    await queue.enqueue(newJob('b1', { userId: 'b' }))
    await queue.enqueue(newJob('a2', { userId: 'a', priority: 10 }))
    await queue.enqueue(newJob('a3', { userId: 'a', priority: 10 }))
    const next = async (): Promise<string | undefined> =>
      (await queue.claim('w/1', at(100), at(1)))?.id
    assert.deepEqual([await next(), await next()], ['b1', 'a2'])
    assert.equal(await queue.release('a2', 'w/1'), true)
    assert.deepEqual([await next(), await next(), await next()], ['a3', 'a2', 'a1'])
  })

  t.it('FL-11 counts what waits, whatever becomes of it', async () => {
    const { queue } = store()
    const full = { maxQueued: 2, resumable: true }
    const isFull = (id: string): Promise<void> =>
      assert.rejects(queue.enqueue(newJob(id, full)), isQueueFull)
    await queue.enqueue(newJob('a', full))
    await queue.enqueue(newJob('b', full))
    await isFull('c')
    await queue.requestCancel('a', at(1))
    await queue.enqueue(newJob('c', full))
    await isFull('d')
    await queue.claim('w/1', at(100), at(1))
    await queue.enqueue(newJob('d', full))
    await queue.release('b', 'w/1')
    await isFull('e')
    await queue.claim('w/2', at(100), at(1))
    await queue.suspend('c', 'w/2', { question: null, askedAt: at(2), wakeAt: at(3) })
    await isFull('e')
    await queue.claim('w/3', at(100), at(1))
    await queue.enqueue(newJob('e', full))
    assert.deepEqual(await queue.due(at(3)), ['c'])
    await isFull('f')
  })

  t.it('AB-73, FL-10 keeps the limits of users exact under racing claims', async () => {
    const { queue } = store()
    const limited = { userId: 'u', maxRunningPerUser: 3 }
    for (let n = 0; n < 12; n += 1) await queue.enqueue(newJob(`j${n}`, limited))
    const claims = await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        await Promise.resolve(n % 3)
        return await queue.claim(`w${n}/1`, at(100), at(1))
      }),
    )
    assert.equal(claims.filter((job) => job !== null).length, 3)
  })

  t.it('keeps how a job ended', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { userId: 'u1' }))
    await queue.claim('w', at(100), at(1))
    const error = { code: 'timeout', detail: 'too slow' }
    assert.equal(await queue.finish('a', 'other', { state: 'succeeded', finishedAt: at(2) }), false)
    assert.equal(await queue.finish('a', 'w', { state: 'failed', finishedAt: at(3), error }), true)
    assert.equal(await queue.finish('a', 'w', { state: 'succeeded', finishedAt: at(4) }), false)
    const job = await queue.get('a')
    assert.deepEqual(
      [job?.state, job?.startedAt, job?.finishedAt, job?.error, job?.userId, job?.createdAt],
      ['failed', at(1), at(3), error, 'u1', at(0)],
    )
    assert.equal(await queue.get('unknown'), null)
  })

  t.it('FE-63a suspends a job and queues it again with the answer', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { resumable: true }))
    await queue.claim('w', at(100), at(1))
    const rest = { question: { ask: ['sure?'] }, askedAt: at(2), wakeAt: null }
    assert.equal(await queue.suspend('a', 'other', rest), false)
    assert.equal(await queue.suspend('a', 'w', rest), true)
    assert.deepEqual((await queue.get('a'))?.question, { ask: ['sure?'] })
    assert.equal((await queue.get('a'))?.state, 'suspended')
    assert.equal(await queue.claim('w', at(100), at(2)), null)
    assert.equal(await queue.resume('a', { yes: true }, at(3)), true)
    assert.equal(await queue.resume('a', { yes: true }, at(4)), false)
    const again = await queue.claim('w2', at(100), at(5))
    assert.deepEqual([again?.answer, again?.attempts, again?.startedAt], [{ yes: true }, 2, at(1)])
  })
}
