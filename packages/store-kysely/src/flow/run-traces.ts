import type { RunTraceQuery, RunTraceStore } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { appendRecords, countsOf, createTrimSchedule, type Trim } from './append-records.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { preparedSql } from './prepared-sql.ts'
import { runTraceMapping, runTraceSummaryMapping } from './mappings.ts'

const traceRows = (db: FlowDb) => rowsOf(db, 'flow_run_trace', runTraceMapping)

/** Traces of runs in SQL. */
export function createRunTraces(db: FlowDb): RunTraceStore {
  const rows = traceRows(db)
  const summaries = rowsOf(db, 'flow_run_trace', runTraceSummaryMapping)
  const isDue = createTrimSchedule()
  return {
    append(records, keep) {
      const trims = [...countsOf(records, ({ ownerId }) => ownerId)].flatMap(
        ([ownerId, added]): Trim[] =>
          isDue(ownerId, added, keep) ? [(tx) => trimTraces.bind(tx, { ownerId, keep })] : [],
      )
      return appendRecords(db, { rows, rowsIn: traceRows, records, trims })
    },
    async list({ offset, limit, ...wanted }) {
      const where = conditionsOf(wanted)
      const items = await summaries.select(sql`where ${where}
        order by started_at desc, seq desc limit ${limit} offset ${offset}`)
      return { items, total: await rows.count(where) }
    },
    async get(ownerId, id) {
      const [found] = await rows.select(sql`where owner_id = ${ownerId} and id = ${id} limit 1`)
      return found ?? null
    },
  }
}

function conditionsOf(query: Omit<RunTraceQuery, 'offset' | 'limit'>): RawBuilder<unknown> {
  const { ownerId, flowId, sessionId, states, from, to } = query
  const all = [sql`owner_id = ${ownerId}`]
  if (flowId !== undefined) all.push(sql`flow_id = ${flowId}`)
  if (sessionId !== undefined) all.push(sql`session_id = ${encodeText(sessionId)}`)
  if (states !== undefined)
    all.push(states.length === 0 ? sql`1 = 0` : sql`state in (${sql.join(states)})`)
  if (from !== undefined) all.push(sql`started_at >= ${from.getTime()}`)
  if (to !== undefined) all.push(sql`started_at <= ${to.getTime()}`)
  return sql.join(all, sql` and `)
}

const trimTraces = preparedSql<{ readonly ownerId: string; readonly keep: number }, never>(
  (value) => sql`delete from flow_run_trace where owner_id = ${value('ownerId')} and seq <= (
    select seq from flow_run_trace where owner_id = ${value('ownerId')}
    order by seq desc limit 1 offset ${value('keep')})`,
)
