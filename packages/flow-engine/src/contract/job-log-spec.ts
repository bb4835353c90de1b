import assert from 'node:assert/strict'
import type { JobStore, StoredEvent } from '../store/job-store.ts'
import { isStaleWriter, isUniqueConflict } from '../store/store-error.ts'
import type { TestFrame } from './test-frame.ts'

const event = (seq: number): StoredEvent => ({ seq, event: 'token', data: `{"chunk":"${seq} ✓"}` })

/** The events of jobs, and the fences that refuse earlier writers. */
export function describeJobLog(t: TestFrame, store: () => JobStore): void {
  describeLog(t, store)
  describeFence(t, store)
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
