import type { ScheduleStore, StoredSchedule } from '@x/flow-engine/store'
import { sql } from 'kysely'
import { DatabaseError } from '../engine/database-error.ts'
import { atomic } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from '../flow/context.ts'
import { idList } from '../query/id-list.ts'
import { date, mapping, nullable, plain, text } from '../records/columns.ts'
import type { RowOf } from '../schema/tables/flow.ts'

const scheduleMapping = mapping<StoredSchedule, RowOf<StoredSchedule>>({
  id: text,
  cron: text,
  timeZone: text,
  userId: nullable(plain()),
  flowId: nullable(plain()),
  request: text,
  missed: plain<StoredSchedule['missed']>(),
  until: nullable(date),
  nextAt: nullable(date),
  lastAt: nullable(date),
  lastJobId: nullable(plain()),
})

/** Schedules in SQL. */
export function createSchedules(db: FlowDb): ScheduleStore {
  const rows = rowsOf(db, 'flow_schedule', scheduleMapping)
  const put = async (schedule: StoredSchedule, most: number): Promise<boolean> => {
    try {
      return await atomic(db, (tx) => putOnce(tx, schedule, most))
    } catch (error) {
      // Another process has added it meanwhile; this one replaces it.
      if (error instanceof DatabaseError && error.kind === 'unique')
        return await put(schedule, most)
      throw error
    }
  }
  return {
    put,
    get: (id) => rows.first({ id }),
    list: ({ userId }) =>
      rows.select(
        userId === undefined ? sql`order by id` : sql`where ${rows.where({ userId })} order by id`,
      ),
    due: (now, limit) =>
      rows.select(sql`where next_at <= ${now.getTime()} order by next_at, seq limit ${limit}`),
    advance: async (id, from, to) => (await rows.update({ id, nextAt: from }, to)) !== null,
    remove: async (id) => (await rows.remove({ id })) > 0,
    removeOf: ({ userId, flowIds = [] }) =>
      atomic(db, async (tx) => {
        if (userId !== undefined)
          await sql`delete from flow_schedule where user_id = ${userId}`.execute(tx)
        if (flowIds.length === 0) return
        await sql`delete from flow_schedule where flow_id in
          (select ids.id from ${idList(tx, [...flowIds])})`.execute(tx)
      }),
  }
}

async function putOnce(tx: FlowDb, schedule: StoredSchedule, most: number): Promise<boolean> {
  const rows = rowsOf(tx, 'flow_schedule', scheduleMapping)
  const { lastAt: _at, lastJobId: _job, id, ...given } = schedule
  if ((await rows.update({ id }, given)) !== null) return true
  if ((await rows.count(rows.where({ userId: schedule.userId }))) >= most) return false
  await rows.insert([schedule])
  return true
}
