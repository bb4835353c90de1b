import assert from 'node:assert/strict'
import type { ActivityNote } from '../store/activity.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { moment, OTHER_TENANT, TENANT, userRecord as user, type TestFunctions } from './fixture.ts'

const HOUR = 3_600_000
const ID = user(1).id

const note = (kind: ActivityNote['kind'], seconds: number, more: object = {}): ActivityNote => ({
  userId: ID,
  at: moment(seconds),
  kind,
  source: 'token:a',
  refusal: null,
  ...more,
})
const refused = (seconds: number, detail = 'ß'): ActivityNote =>
  note('refused', seconds, {
    refusal: { at: moment(seconds), status: 400, scimType: 'invalidValue', detail },
  })

/** Compares values with dates, which may be of another realm: Jest gives modules a `Date` of their own. */
function equalInJson(actual: unknown, expected: unknown): void {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
  assert.deepEqual(plain(actual), plain(expected))
}

/** The activity of users, for stores that remember it. */
export function activitySpec(t: TestFunctions, store: () => ScimStore): void {
  const ofStore = () => store().activity
  const one = async (id = ID) => (await ofStore()?.get(TENANT, [id]))?.get(id)

  t.it('SF-62 times of users are kept to the hour', async () => {
    const activity = ofStore()
    if (activity === undefined) return
    await activity.record(TENANT, [note('seen', 0)])
    await activity.record(TENANT, [note('seen', HOUR - 1)])
    equalInJson((await one())?.lastSeenAt, moment(0))
    await activity.record(TENANT, [note('seen', HOUR)])
    equalInJson((await one())?.lastSeenAt, moment(HOUR))
    assert.equal((await one())?.lastWrittenAt, null)
    assert.equal((await activity.get(OTHER_TENANT, [ID])).size, 0)
  })

  t.it('SF-62 another source and the end of a refusal are kept at once', async () => {
    const activity = ofStore()
    if (activity === undefined) return
    await activity.record(TENANT, [note('written', 0)])
    await activity.record(TENANT, [note('written', 5, { source: 'connection:b' })])
    equalInJson(await one(), {
      lastSeenAt: moment(5),
      lastWrittenAt: moment(5),
      source: 'connection:b',
      refusal: null,
      refusedSince: null,
      missedSince: null,
    })
    for (const at of [6, 7, HOUR + 8]) await activity.record(TENANT, [refused(at, `at ${at}`)])
    const held = await one()
    equalInJson([held?.refusedSince, held?.refusal?.at], [moment(6), moment(HOUR + 8)])
    assert.equal(held?.refusal?.detail, `at ${HOUR + 8}`)
    await activity.record(TENANT, [note('written', HOUR + 9, { source: 'connection:b' })])
    const after = await one()
    assert.deepEqual([after?.refusal, after?.refusedSince], [null, null])
  })

  t.it('SF-63 the first list that missed a user is remembered until one finds it', async () => {
    const activity = ofStore()
    if (activity === undefined) return
    const { id: other } = user(2)
    await activity.missed(TENANT, { at: moment(1), missed: [ID, other], found: [] })
    await activity.missed(TENANT, { at: moment(2), missed: [ID], found: [other] })
    equalInJson((await one())?.missedSince, moment(1))
    assert.equal((await one(other))?.missedSince, null)
  })

  t.it('SF-62 pages through the users of a tenant by id', async () => {
    const activity = ofStore()
    if (activity === undefined) return
    for (const n of [3, 1, 2]) await store().users.insert(TENANT, user(n))
    await activity.record(TENANT, [note('seen', 0)])
    const first = await activity.users(TENANT, { limit: 2 })
    equalInJson(
      first.map(({ id, userName, activity: known }) => [id, userName, known?.lastSeenAt ?? null]),
      [
        [user(1).id, user(1).userName, moment(0)],
        [user(2).id, user(2).userName, null],
      ],
    )
    const next = await activity.users(TENANT, { after: user(2).id, limit: 2 })
    assert.deepEqual(
      next.map(({ id }) => id),
      [user(3).id],
    )
    assert.deepEqual(await activity.users(OTHER_TENANT, { limit: 2 }), [])
    await activity.record(TENANT, [note('written', HOUR)])
    assert.deepEqual(await activity.sources(TENANT), ['token:a'])
    const ids = async () =>
      (await activity.users(TENANT, { limit: 9, except: ['token:a'] })).map(({ id }) => id)
    assert.deepEqual(await ids(), [user(2).id, user(3).id])
    await activity.record(TENANT, [refused(HOUR + 1)])
    assert.deepEqual(await ids(), [ID, user(2).id, user(3).id])
  })
}
