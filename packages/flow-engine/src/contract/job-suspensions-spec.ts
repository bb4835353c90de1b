import assert from 'node:assert/strict'
import type { JobSuspension, JobStore, NewJob, PendingJobsQuery } from '../store/job-store.ts'
import { at, newJob } from './job-fixtures.ts'
import type { TestFrame } from './test-frame.ts'

/** Specs of suspended, woken, released and crashed jobs. */
export function describeSuspensions(t: TestFrame, store: () => JobStore): void {
  const suspended = async (
    id: string,
    rest: Partial<JobSuspension>,
    more: Partial<NewJob> = {},
  ): Promise<void> => {
    const { queue } = store()
    await queue.enqueue(newJob(id, { resumable: true, ...more }))
    assert.equal((await queue.claim(`w-${id}`, at(100), at(1)))?.id, id)
    const whole = { question: { of: id }, askedAt: at(2), wakeAt: null, ...rest }
    assert.equal(await queue.suspend(id, `w-${id}`, whole), true)
  }

  t.it('DR-34 refuses an answer to an earlier question of the job', async () => {
    const { queue } = store()
    await suspended('a', {})
    assert.equal(await queue.resume('a', 'stale', at(3), 2), false)
    assert.equal(await queue.resume('a', 'first', at(3), 1), true)
    assert.equal((await queue.claim('w2', at(100), at(4)))?.answer, 'first')
    await queue.suspend('a', 'w2', { question: 'second?', askedAt: at(5), wakeAt: null })
    assert.equal(await queue.resume('a', 'late', at(6), 1), false)
    assert.equal((await queue.get('a'))?.question, 'second?')
    assert.equal(await queue.resume('a', 'second', at(6), 2), true)
  })

  t.it('OP-8 counts the jobs that have not ended, where it counts', async () => {
    const { queue } = store()
    if (queue.countOpen === undefined) return
    await suspended('a', {})
    await queue.enqueue(newJob('b'))
    await queue.enqueue(newJob('c'))
    await queue.enqueue(newJob('d'))
    await queue.claim('w', at(100), at(1))
    assert.deepEqual(await queue.countOpen(), { queued: 2, running: 1, suspended: 1 })
    await queue.finish('b', 'w', { state: 'succeeded', finishedAt: at(2) })
    assert.deepEqual(await queue.countOpen(), { queued: 2, running: 0, suspended: 1 })
  })

  t.it('DR-38, DR-55 queues suspended jobs again when their time has come, each once', async () => {
    const { queue } = store()
    await suspended('sleeper', { question: null, wakeAt: at(50) })
    await suspended('asker', { wakeAt: at(60) })
    await suspended('patient', {})
    assert.deepEqual(await queue.due(at(49)), [])
    assert.deepEqual(await queue.due(at(50)), ['sleeper'])
    assert.deepEqual(await queue.due(at(50)), [])
    assert.equal((await queue.get('sleeper'))?.state, 'queued')
    assert.deepEqual(await queue.due(at(99)), ['asker'])
    const woken = [
      await queue.claim('w', at(100), at(99)),
      await queue.claim('w', at(100), at(99)),
      await queue.claim('w', at(100), at(99)),
    ]
    assert.deepEqual(
      woken.map((job) => [job?.id, job?.question, job?.answer, job?.wakeAt]),
      [
        ['sleeper', null, null, at(50)],
        ['asker', { of: 'asker' }, null, at(60)],
        [undefined, undefined, undefined, undefined],
      ],
    )
  })

  t.it('DR-38 an answer takes the job out of the wait, and a cancel ends it', async () => {
    const { queue } = store()
    await suspended('a', { wakeAt: at(50) })
    await suspended('b', { wakeAt: at(50) })
    assert.equal(await queue.resume('a', null, at(10)), true)
    assert.equal(await queue.requestCancel('b', at(10)), true)
    assert.deepEqual(await queue.due(at(99)), [])
    const answered = await queue.claim('w', at(100), at(11))
    assert.deepEqual([answered?.id, answered?.answer, answered?.wakeAt], ['a', null, null])
    assert.equal((await queue.get('b'))?.state, 'cancelled')
  })

  t.it('DR-33 lists those that ask, oldest first, of a user and of a flow, in pages', async () => {
    const { queue } = store()
    const ids = async (query: Partial<PendingJobsQuery>): Promise<string[]> =>
      (await queue.pending({ limit: 100, ...query })).map(({ id }) => id)
    assert.deepEqual(await ids({}), [])
    await suspended('d', { askedAt: at(10) }, { userId: 'u1', lane: 'public' })
    await suspended('c', { askedAt: at(20) }, { userId: 'u2', flowId: 'flow-2' })
    await suspended('b', { askedAt: at(20) }, { userId: 'u1', flowId: 'flow-2' })
    await suspended('a', { askedAt: at(30), question: 'sure?' }, { userId: 'u1' })
    await suspended('z', { askedAt: at(5), question: null, wakeAt: at(90) }, { userId: 'u1' })
    assert.deepEqual(await ids({}), ['d', 'b', 'c', 'a'])
    assert.deepEqual(await ids({ limit: 2 }), ['d', 'b'])
    assert.deepEqual(await ids({ after: 'b' }), ['c', 'a'])
    assert.deepEqual(await ids({ after: 'unknown' }), ['d', 'b', 'c', 'a'])
    assert.deepEqual(await ids({ userId: 'u1' }), ['d', 'b', 'a'])
    assert.deepEqual(await ids({ userId: 'u1', flowId: 'flow-2' }), ['b'])
    assert.deepEqual(await ids({ userId: 'u1', after: 'd', limit: 1 }), ['b'])
    assert.deepEqual(await ids({ userId: 'u3' }), [])
    await queue.resume('b', 'yes', at(40))
    await queue.requestCancel('d', at(40))
    assert.deepEqual(await ids({ after: 'b' }), ['c', 'a'])
    assert.deepEqual(await ids({ userId: 'u1' }), ['a'])
    const [last] = await queue.pending({ userId: 'u1', limit: 1 })
    assert.deepEqual([last?.question, last?.askedAt, last?.wakeAt], ['sure?', at(30), null])
  })

  t.it('DR-12 a released job waits again at once, for the next process', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { resumable: true, userId: 'u', maxRunningPerUser: 1 }))
    await queue.enqueue(newJob('b', { resumable: true, userId: 'u', maxRunningPerUser: 1 }))
    await queue.claim('w', at(100), at(1))
    assert.equal(await queue.release('a', 'other'), false)
    assert.equal(await queue.release('a', 'w'), true)
    assert.equal(await queue.release('a', 'w'), false)
    assert.equal(await queue.heartbeat('a', 'w', at(200)), 'lost')
    assert.deepEqual(await queue.expired(at(500)), [])
    assert.equal((await queue.claim('w2', at(100), at(2)))?.id, 'b')
    await queue.finish('b', 'w2', { state: 'succeeded', finishedAt: at(3) })
    const again = await queue.claim('w2', at(100), at(4))
    assert.deepEqual([again?.id, again?.attempts, again?.crashes], ['a', 2, 0])
  })

  t.it('DR-11 counts the claims of a job that ended by their lease', async () => {
    const { queue } = store()
    await queue.enqueue(newJob('a', { resumable: true }))
    assert.equal((await queue.get('a'))?.crashes, 0)
    for (const crashes of [0, 1, 2]) {
      const job = await queue.claim('w', at(100), at(1))
      assert.deepEqual([job?.crashes, (await queue.expired(at(101))).length], [crashes, 1])
    }
    assert.equal((await queue.get('a'))?.crashes, 3)
  })

  t.it('FL-21 charges suspects for a death, and nobody beside them', async () => {
    const { queue } = store()
    if (queue.absolve === undefined) return
    const crashes = async (...ids: string[]): Promise<(number | undefined)[]> =>
      await Promise.all(ids.map(async (id) => (await queue.get(id))?.crashes))
    for (const id of ['a', 'b', 'c']) await queue.enqueue(newJob(id, { resumable: true }))
    for (const n of [1, 2]) await queue.claim(`p/${n}`, at(100), at(1))
    await queue.claim('q/1', at(300), at(1))
    await queue.expired(at(101))
    assert.deepEqual(await crashes('a', 'b', 'c'), [1, 1, 0])
    const claim = async (worker: string, suspects: boolean): Promise<string | undefined> =>
      (await queue.claim(worker, at(300), at(150), undefined, { suspects }))?.id
    await queue.enqueue(newJob('d', { resumable: true }))
    assert.deepEqual([await claim('r/1', true), await claim('r/2', false)], ['a', 'd'])
    assert.equal(await claim('r/3', false), undefined)
    assert.equal((await queue.expired(at(301))).length, 3)
    assert.deepEqual(await crashes('a', 'b', 'c', 'd'), [2, 1, 1, 0])
    assert.equal(await claim('s/1', true), 'b')
    assert.equal(await queue.absolve('b', 'other'), false)
    assert.equal(await queue.absolve('b', 's/1'), true)
    assert.deepEqual(await crashes('b'), [0])
    // `a` has 2 crashes and `c` 1.
    const next = async (n: number, suspects: boolean | 'apart'): Promise<string | undefined> =>
      (await queue.claim(`t/${n}`, at(400), at(310), undefined, { suspects, apart: 2 }))?.id
    assert.equal(await next(1, false), 'd')
    assert.equal(await next(2, true), 'c')
    assert.equal(await next(3, true), undefined)
    assert.deepEqual([await queue.waitsApart?.(2), await queue.waitsApart?.(1)], [true, false])
    assert.equal(await next(4, 'apart'), 'a')
    assert.equal(await queue.waitsApart?.(2), false)
    assert.equal(await next(5, 'apart'), undefined)
  })

  t.it(
    'FL-21, FL-25 charges no process that was seen meanwhile, and none while the store was away',
    async () => {
      const { queue } = store()
      if (queue.absolve === undefined) return
      for (const id of ['a', 'b']) await queue.enqueue(newJob(id, { resumable: true }))
      await queue.claim('p/1', at(100), at(1))
      await queue.claim('p/2', at(200), at(1))
      assert.deepEqual(await queue.expired(at(150)), [])
      assert.equal((await queue.expired(at(201), { charge: false })).length, 2)
      assert.deepEqual(
        [(await queue.get('a'))?.crashes, (await queue.get('a'))?.state],
        [0, 'queued'],
      )
    },
  )
}
