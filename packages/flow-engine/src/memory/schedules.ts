import { compareText, copy, copyOrNull } from '@x/wire'
import type { ScheduleStore, StoredSchedule } from '../store/schedules.ts'

/** Creates the in-memory store of schedules. */
export function createSchedules(): ScheduleStore {
  const schedules = new Map<string, StoredSchedule>()
  const matching = (keep: (row: StoredSchedule) => boolean): StoredSchedule[] =>
    [...schedules.values()].filter(keep)
  return {
    async put(schedule, most) {
      const { id, userId } = schedule
      const others = matching((row) => row.userId === userId && row.id !== id)
      if (others.length >= most) return false
      const { lastAt = null, lastJobId = null } = schedules.get(id) ?? {}
      schedules.set(id, copy({ ...schedule, lastAt, lastJobId }))
      return true
    },
    get: async (id) => copyOrNull(schedules.get(id)),
    list: async ({ userId }) =>
      matching((row) => userId === undefined || row.userId === userId)
        .toSorted((a, b) => compareText(a.id, b.id))
        .map(copy),
    due: async (now, limit) =>
      matching(({ nextAt }) => nextAt !== null && nextAt <= now)
        .toSorted((a, b) => Number(a.nextAt) - Number(b.nextAt))
        .slice(0, limit)
        .map(copy),
    async advance(id, from, to) {
      const row = schedules.get(id)
      if (row?.nextAt?.getTime() !== from.getTime()) return false
      schedules.set(id, copy({ ...row, ...to }))
      return true
    },
    remove: async (id) => schedules.delete(id),
    async removeOf({ userId, flowIds = [] }) {
      const isTheirs = (row: StoredSchedule): boolean =>
        (userId !== undefined && row.userId === userId) ||
        (row.flowId !== null && flowIds.includes(row.flowId))
      for (const { id } of matching(isTheirs)) schedules.delete(id)
    },
  }
}
