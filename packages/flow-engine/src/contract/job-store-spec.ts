// Over 350 lines: one list of tests that every job store runs as a whole.
import assert from 'node:assert/strict'
import type { JobStore, StoredEvent } from '../store/job-store.ts'
import { isQueueFull, isStaleWriter, isUniqueConflict } from '../store/store-error.ts'
import { at, newJob } from './job-fixtures.ts'
import { describeJobList } from './job-list-spec.ts'
import { describeRests } from './job-rests-spec.ts'
import { describeSchedules } from './schedules-spec.ts'
import type { ContractOptions, TestFrame } from './test-frame.ts'

const event = (seq: number): StoredEvent => ({ seq, event: 'token', data: `{"chunk":"${seq} ✓"}` })

/** Options of the job store contract. */
export interface JobStoreContractOptions extends ContractOptions<JobStore> {
  /** False for a store without `schedules`. Default true. */
  readonly schedules?: boolean
}

/** Defines the tests of a job store: queue, log, bus, checkpoints and schedules (FE-62, FE-63, DR-58). */
export function defineJobStoreContract(t: TestFrame, options: JobStoreContractOptions): void {
  t.describe(`job store: ${options.name}`, () => {
    let store: JobStore
    t.beforeEach(async () => {
      store = await options.create()
    })
    t.afterEach(async () => {
      await options.destroy?.(store)
    })
    const current = (): JobStore => store
    describeQueue(t, current)
    describeRests(t, current)
    describeLease(t, current)
    describeLog(t, current)
    describeFence(t, current)
    describeRest(t, current)
    describeJobList(t, current)
    if (options.schedules !== false) describeSchedules(t, current)
  })
}

function describeQueue(t: TestFrame, store: () => JobStore): void {
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

function describeLease(t: TestFrame, store: () => JobStore): void {
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

function describeLog(t: TestFrame, store: () => JobStore): void {
  t.it('FE-60 gives events back in their order, in pieces', async () => {
    const { log } = store()
    await log.append('j', [event(0), event(1)])
    await log.append('other', [event(0)])
    await log.append('j', [event(4), event(5)])
    const numbers = async (after: number, limit: number): Promise<number[]> =>
      (await log.read('j', after, limit)).map(({ seq }) => seq)
    assert.deepEqual(await numbers(-1, 10), [0, 1, 4, 5])
    assert.deepEqual(await numbers(1, 1), [4])
    assert.deepEqual(await numbers(5, 10), [])
    assert.deepEqual(await log.read('unknown', -1, 10), [])
    const [first] = await log.read('j', -1, 1)
    assert.deepEqual({ ...first, data: first?.data }, event(0))
  })

  t.it('reads the fields of an event, also where its class makes them', async () => {
    class Lazy implements StoredEvent {
      readonly seq = 0
      readonly event = 'token'
      get data(): string {
        return '{"made":"late"}'
      }
    }
    const { log } = store()
    await log.append('j', [new Lazy()])
    const [found] = await log.read('j', -1, 1)
    assert.deepEqual([found?.event, found?.data], ['token', '{"made":"late"}'])
  })

  t.it('FE-62 refuses a number twice and then keeps nothing of the append', async () => {
    const { log } = store()
    await log.append('j', [event(0), event(1)])
    await assert.rejects(log.append('j', [event(1), event(2)]), isUniqueConflict)
    assert.deepEqual(
      (await log.read('j', -1, 10)).map(({ seq }) => seq),
      [0, 1],
    )
  })

  t.it('keeps the order of appends that were not awaited, and empty ones harmless', async () => {
    const { log } = store()
    await Promise.all([
      log.append('j', []),
      ...Array.from({ length: 20 }, (_, seq) => log.append('j', [event(seq)])),
    ])
    await log.close('j')
    assert.equal((await log.read('j', -1, 100)).length, 20)
  })

  t.it('removes the logs of the jobs named', async () => {
    const { log } = store()
    await log.append('a', [event(0)])
    await log.append('b', [event(0)])
    await log.remove(['a', 'unknown'])
    assert.deepEqual(await log.read('a', -1, 10), [])
    assert.equal((await log.read('b', -1, 10)).length, 1)
  })
}

function describeFence(t: TestFrame, store: () => JobStore): void {
  const numbers = async (jobId: string): Promise<number[]> =>
    (await store().log.read(jobId, -1, 100)).map(({ seq }) => seq)

  t.it('DR-20 tells the number of the last event', async () => {
    const { log } = store()
    assert.equal(await log.lastSeq('j'), -1)
    await log.append('j', [event(0), event(1), event(7)])
    await log.append('other', [event(9)])
    assert.equal(await log.lastSeq('j'), 7)
    assert.equal(await log.open('j', 1), 7)
    assert.equal(await log.open('new', 1), -1)
  })

  t.it('DR-7 refuses the writers of earlier claims, who leave nothing behind', async () => {
    const { log, checkpoints } = store()
    assert.equal(await log.open('j', 1), -1)
    await log.append('j', [event(0)], 1)
    await checkpoints.put('j', 'v', 'first', 1)
    assert.equal(await log.open('j', 2), 0)
    await assert.rejects(log.append('j', [event(1), event(2)], 1), isStaleWriter)
    await assert.rejects(checkpoints.put('j', 'v', 'stale', 1), isStaleWriter)
    await assert.rejects(checkpoints.put('j', 'v2', 'stale', 1), isStaleWriter)
    await assert.rejects(log.open('j', 1), isStaleWriter)
    await log.append('j', [event(1)], 2)
    await log.append('j', [event(2)], 3)
    await log.append('j', [event(3)])
    await checkpoints.put('j', 'v3', 'second', 2)
    assert.equal(await log.open('j', 2), 3)
    assert.deepEqual(await numbers('j'), [0, 1, 2, 3])
    assert.deepEqual(await checkpoints.list('j'), [
      { vertexId: 'v', state: 'first' },
      { vertexId: 'v3', state: 'second' },
    ])
  })

  t.it('DR-7 fences each job for itself, to its removal', async () => {
    const { log, checkpoints } = store()
    await log.open('j', 5)
    await log.append('other', [event(0)], 1)
    await checkpoints.remove('j')
    await assert.rejects(checkpoints.put('j', 'v', 'stale', 4), isStaleWriter)
    const outcomes = await Promise.allSettled([
      log.append('j', [event(0)], 4),
      log.append('other', [event(1)], 1),
      log.append('j', [event(0)], 5),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual([await numbers('j'), await numbers('other')], [[0], [0, 1]])
    await log.remove(['j'])
    assert.equal(await log.open('j', 1), -1)
  })

  t.it(
    'DR-7 an append that was under way when the log was opened is counted, or refused',
    async () => {
      const { log } = store()
      for (let n = 0; n < 20; n += 1) {
        const jobId = `race-${n}`
        await log.open(jobId, 1)
        const [appended, last] = await Promise.allSettled([
          log.append(jobId, [event(0)], 1),
          log.open(jobId, 2),
        ])
        const expected = appended.status === 'fulfilled' ? 0 : -1
        assert.equal(last.status === 'fulfilled' ? last.value : last.reason, expected)
        assert.equal(await log.lastSeq(jobId), expected)
      }
    },
  )
}

function describeRest(t: TestFrame, store: () => JobStore): void {
  t.it('wakes the subscribers of a channel until they leave', async () => {
    const { bus } = store()
    const seen: string[] = []
    let arrived = (): void => undefined
    const first = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const leave = bus.subscribe('c', (payload) => {
      seen.push(payload)
      arrived()
    })
    bus.publish('other', 'no')
    bus.publish('c', 'yes')
    await first
    leave()
    bus.publish('c', 'late')
    assert.deepEqual(seen, ['yes'])
  })

  t.it('FE-63 keeps the last state of each vertex in the order of the first', async () => {
    const { checkpoints } = store()
    await checkpoints.put('j', 'v2', '1')
    await checkpoints.put('j', 'v1', '2')
    await checkpoints.put('j', 'v2', '3')
    await checkpoints.put('other', 'v1', '4')
    assert.deepEqual(await checkpoints.list('j'), [
      { vertexId: 'v2', state: '3' },
      { vertexId: 'v1', state: '2' },
    ])
    await checkpoints.remove('j')
    assert.deepEqual(await checkpoints.list('j'), [])
    assert.equal((await checkpoints.list('other')).length, 1)
  })
}
