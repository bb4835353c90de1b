import assert from 'node:assert/strict'
import type { JobStore } from '../store/job-store.ts'
import type { ScheduleStore, StoredSchedule } from '../store/schedules.ts'
import { at } from './job-fixtures.ts'
import { oddText } from '@x/wire'
import type { TestFrame } from './test-frame.ts'

const schedule = (id: string, more: Partial<StoredSchedule> = {}): StoredSchedule => ({
  id,
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  userId: null,
  flowId: null,
  request: '{"text":"ünïcode"}',
  missed: 'skip',
  until: null,
  nextAt: at(10),
  lastAt: null,
  lastJobId: null,
  ...more,
})

const idsOf = (found: readonly StoredSchedule[]): string[] => found.map(({ id }) => id)

/** Specs of schedules, for stores that support them. */
export function describeSchedules(t: TestFrame, store: () => JobStore): void {
  const schedules = (): ScheduleStore => {
    const { schedules: kept } = store()
    assert.ok(kept)
    return kept
  }

  t.it(
    'DR-58 keeps schedules as they are given, and what was started when they are replaced',
    async () => {
      const given = schedule(oddText, {
        userId: 'u1',
        flowId: 'f1',
        request: oddText,
        missed: 'once',
        until: at(99),
      })
      assert.equal(await schedules().put(given, 10), true)
      assert.deepEqual(await schedules().get(given.id), given)
      const started = { nextAt: at(20), lastAt: at(10), lastJobId: 'job-1' }
      assert.equal(await schedules().advance(given.id, at(10), started), true)
      assert.equal(await schedules().put({ ...given, cron: '* * * * *', nextAt: null }, 10), true)
      assert.deepEqual(await schedules().get(given.id), {
        ...given,
        cron: '* * * * *',
        nextAt: null,
        lastAt: at(10),
        lastJobId: 'job-1',
      })
      assert.equal(await schedules().get('other'), null)
    },
  )

  t.it('DR-58 gives those that are due, earliest first; each time is taken once', async () => {
    await schedules().put(schedule('b', { nextAt: at(20) }), 10)
    await schedules().put(schedule('a', { nextAt: at(10) }), 10)
    await schedules().put(schedule('never', { nextAt: null }), 10)
    assert.deepEqual(idsOf(await schedules().due(at(9), 10)), [])
    assert.deepEqual(idsOf(await schedules().due(at(20), 10)), ['a', 'b'])
    assert.deepEqual(idsOf(await schedules().due(at(20), 1)), ['a'])
    const to = { nextAt: at(30) }
    const taken = await Promise.all([1, 2, 3].map(() => schedules().advance('a', at(10), to)))
    assert.deepEqual(
      taken.toSorted((a, b) => Number(a) - Number(b)),
      [false, false, true],
    )
    assert.deepEqual(idsOf(await schedules().due(at(29), 10)), ['b'])
    assert.deepEqual((await schedules().get('a'))?.lastAt, null)
    assert.equal(await schedules().advance('b', at(20), { nextAt: null }), true)
    assert.deepEqual(idsOf(await schedules().due(at(99), 10)), ['a'])
  })

  t.it('DR-58 holds the limit of each user, counts no replacement, and lists by user', async () => {
    assert.equal(await schedules().put(schedule('a', { userId: 'u1' }), 2), true)
    assert.equal(await schedules().put(schedule('c', { userId: 'u1' }), 2), true)
    assert.equal(await schedules().put(schedule('d', { userId: 'u1' }), 2), false)
    assert.equal(await schedules().put(schedule('a', { userId: 'u1' }), 2), true)
    assert.equal(await schedules().put(schedule('b', { userId: 'u2' }), 2), true)
    assert.equal(await schedules().put(schedule('0'), 1), true)
    assert.equal(await schedules().put(schedule('1'), 1), false)
    assert.deepEqual(idsOf(await schedules().list({})), ['0', 'a', 'b', 'c'])
    assert.deepEqual(idsOf(await schedules().list({ userId: 'u1' })), ['a', 'c'])
  })

  t.it('DR-58 removes one, those of a user, and those of flows', async () => {
    for (const id of ['a', 'b']) await schedules().put(schedule(id, { userId: 'u1' }), 10)
    await schedules().put(schedule('c', { userId: 'u2', flowId: 'f1' }), 10)
    await schedules().put(schedule('d', { userId: 'u2', flowId: 'f2' }), 10)
    assert.equal(await schedules().remove('a'), true)
    assert.equal(await schedules().remove('a'), false)
    await schedules().removeOf({ flowIds: ['f1', 'f9'] })
    assert.deepEqual(idsOf(await schedules().list({})), ['b', 'd'])
    await schedules().removeOf({ userId: 'u1' })
    assert.deepEqual(idsOf(await schedules().list({})), ['d'])
  })
}
