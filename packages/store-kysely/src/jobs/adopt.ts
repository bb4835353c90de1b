import type { StartedJob } from '@x/flow-engine/store'
import type { CompiledQuery } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { savepoint, sqliteGroup } from '../engine/sqlite/group.ts'
import { atomic } from '../engine/transaction.ts'
import { execute } from '../engine/execute.ts'
import type { FlowDb } from '../flow/context.ts'
import { encodeText } from '../records/columns.ts'
import { putCheckpoint } from './checkpoints.ts'
import { enqueued, finishValues } from './mapping.ts'
import { postgresAppender } from './postgres-append.ts'
import { enqueueJob, finishJob, startJob } from './queue-queries.ts'
import { insertEvents } from './sqlite-append.ts'

/** Stores jobs that run already, or have run, each in one transaction. */
export function jobAdopter(db: FlowDb): (started: StartedJob) => Promise<void> {
  const engine = engineOf(db)
  if (engine.kind === 'postgres')
    return (started) =>
      atomic(db, async (tx) => {
        const { before, after } = statementsOf(tx, started)
        const { job, events } = started
        for (const query of before) await execute(tx, query)
        if (events.length > 0) await postgresAppender(tx)(job.id, events, undefined)
        for (const query of after) await execute(tx, query)
      })
  const group = sqliteGroup(engine.sqlite)
  return (started) => {
    const { before, after } = statementsOf(db, started)
    const { job, events, outcome } = started
    return group.write({
      rows: before.length + events.length + after.length,
      durable: outcome === undefined,
      invalidatesNothing: true,
      run: (session) =>
        savepoint(session, () => {
          for (const { sql, parameters } of before) session.run(sql, parameters)
          insertEvents(session, encodeText(job.id), events)
          for (const { sql, parameters } of after) session.run(sql, parameters)
        }),
    })
  }
}

/** The triggers count a job that is queued, then started, then ended. */
function statementsOf(
  db: FlowDb,
  { job, worker, leaseUntil, startedAt, checkpoints, outcome }: StartedJob,
): { readonly before: readonly CompiledQuery[]; readonly after: readonly CompiledQuery[] } {
  const { kind } = engineOf(db)
  const { maxQueued: _limit, ...values } = job
  const { id: jobId } = job
  const times = { leaseUntil: leaseUntil.getTime(), startedAt: startedAt.getTime() }
  const states = checkpoints.map(({ vertexId, state }) =>
    putCheckpoint.bind(db, {
      jobId: encodeText(jobId),
      vertexId: encodeText(vertexId),
      state: encodeText(state),
      fence: 1,
    }),
  )
  const end = outcome && [finishJob.bind(db, finishValues(jobId, worker, outcome))]
  return {
    before: [
      enqueueJob[kind].bind(db, { max_queued: null, ...enqueued.toRow(values) }),
      startJob.bind(db, { jobId, worker, ...times }),
    ],
    after: [...states, ...(end ?? [])],
  }
}
