import { QueueFullError, type JobQueue } from '@x/flow-engine/store'
import { DatabaseError } from '../engine/database-error.ts'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import { jobAdopter } from './adopt.ts'
import { enqueued, finishValues, jobMapping, listedJobMapping, toClaimedJob } from './mapping.ts'
import { claimJob, suspectsNumber } from './claim-queries.ts'
import { readExpired, requeueExpired } from './expiry-queries.ts'
import { postgresClaims } from './postgres-claims.ts'
import * as queries from './queue-queries.ts'
import { trimJobs } from './trim-query.ts'
import type { JobWriter } from './writer.ts'

/** The job queue. Each decision is the condition of a single statement. */
export function createJobQueue(
  db: FlowDb,
  { writer, shared }: { readonly writer: JobWriter; readonly shared: boolean },
): JobQueue {
  const { kind } = engineOf(db)
  const claims = kind === 'postgres' ? postgresClaims(db) : undefined
  /** Jobs of this process without a stored request: no process could run them after a power failure. */
  const passing = new Set<string>()
  const adopt = jobAdopter(db)

  return {
    shared,

    async enqueue({ maxQueued, ...job }) {
      const values = { max_queued: maxQueued, ...enqueued.toRow(job) }
      const durable = job.request !== ''
      // Registered synchronously, because its end may be written together with it.
      if (!durable) passing.add(job.id)
      try {
        await writer.write(queries.enqueueJob[kind], values, { durable })
      } catch (error) {
        passing.delete(job.id)
        throw isFull(error) ? new QueueFullError(maxQueued ?? 0) : error
      }
    },

    async enqueueAll(jobs) {
      const rows = jobs.map(({ maxQueued, ...job }) => ({
        max_queued: maxQueued,
        ...enqueued.toRow(job),
      }))
      try {
        await writer.write(queries.enqueueJobs[kind], { rows: JSON.stringify(rows) })
      } catch (error) {
        throw isFull(error) ? new QueueFullError(jobs[0]?.maxQueued ?? 0) : error
      }
    },

    async claim(worker, leaseUntil, now, lanes, { suspects = true, apart = null, left } = {}) {
      const times = { leaseUntil: leaseUntil.getTime(), now: now.getTime() }
      if (claims !== undefined)
        return await claims.claim({ worker, lanes, suspects, apart, left, ...times })
      const asked = {
        worker,
        lanes: namesText(lanes),
        suspects: suspectsNumber(suspects),
        apart,
        ...times,
      }
      const { rows } = await writer.write(claimJob, asked, { durable: false })
      const row = rows[0]
      return row === undefined ? null : toClaimedJob(row)
    },

    adopt,

    waitsApart: async (crashes) => (await queries.readApart.run(db, { crashes })).rows.length > 0,

    async heartbeat(jobId, worker, leaseUntil) {
      const values = { jobId, worker, leaseUntil: leaseUntil.getTime() }
      if (claims !== undefined) return await claims.heartbeat(values)
      return queries.heartbeatOf(
        (await writer.write(queries.heartbeatJob, values, { durable: false })).rows,
      )
    },

    finish(jobId, worker, outcome) {
      const values = finishValues(jobId, worker, outcome)
      return changes(writer.write(queries.finishJob, values, { durable: !passing.delete(jobId) }))
    },

    async readResult(jobId) {
      const { rows } = await queries.readResult.run(db, { jobId })
      const result = rows[0]?.result ?? null
      return result === null ? null : decodeText(result)
    },

    release: (jobId, worker) => changes(writer.write(queries.releaseJob[kind], { jobId, worker })),

    ...(claims === undefined
      ? {}
      : {
          async unclaim(workers: readonly string[]) {
            await writer.write(queries.unclaimJobs, { workers })
          },
        }),

    absolve: (jobId, worker) => changes(writer.write(queries.absolveJob, { jobId, worker })),

    suspend: (jobId, worker, { question, askedAt, wakeAt, usage }) =>
      changes(
        writer.write(queries.suspendJob, {
          jobId,
          worker,
          question: jsonText(question),
          askedAt: askedAt.getTime(),
          wakeAt: wakeAt?.getTime() ?? null,
          usage: usage === undefined ? null : JSON.stringify(usage),
        }),
      ),

    resume(jobId, answer, _now, attempts) {
      const values = { jobId, answer: jsonText(answer), attempts: attempts ?? null }
      return changes(writer.write(queries.resumeJob[kind], values))
    },

    async due(now) {
      const { rows } = await writer.write(queries.wakeJobs[kind], { now: now.getTime() })
      return rows.map(({ id }) => id)
    },

    async pending({ userId = null, flowId = null, after = null, limit }) {
      const { rows } = await queries.readPending.run(db, { userId, flowId, after, limit })
      return rows.map((row) => jobMapping.fromRow(row))
    },

    requestCancel(jobId, now) {
      const values = { jobId, now: now.getTime() }
      return changes(writer.write(queries.cancelJob, values, { durable: !passing.delete(jobId) }))
    },

    async countOpen() {
      const { rows } = await queries.countOpen.run(db, {})
      const { queued = 0, running = 0, suspended = 0 } = rows[0] ?? {}
      return {
        queued: Number(queued),
        running: Number(running),
        suspended: Number(suspended),
      }
    },

    async list({ states, lanes, from, to, offset, limit, ...wanted }) {
      const { flowId = null, sessionId = null, userId } = wanted
      const values = {
        userId,
        flowId,
        sessionId: sessionId === null ? null : encodeText(sessionId),
        states: namesText(states),
        lanes: namesText(lanes),
        from: from?.getTime() ?? null,
        to: to?.getTime() ?? null,
      }
      const { page, count } = queries.listOf[sessionId === null ? 'user' : 'session']
      const { rows } = await page.run(db, { ...values, offset, limit })
      const items = rows.map((row) => listedJobMapping.fromRow(row))
      // A page that is not full is the last one.
      if (items.length < limit && (items.length > 0 || offset === 0))
        return { items, total: offset + items.length }
      const { rows: counted } = await count.run(db, values)
      return { items, total: Number(counted[0]?.total ?? 0) }
    },

    async expired(now, { charge = true, patienceMs = now.getTime() } = {}) {
      const values = { now: now.getTime(), before: now.getTime() - patienceMs }
      const { rows: left } = await readExpired[kind].run(db, values)
      const charged = { ...values, charge: charge ? 1 : 0 }
      const { rows: again } = await writer.write(requeueExpired[kind], charged)
      await writer.write(queries.removeTurns, {}, { durable: false })
      return [...left, ...again]
        .map(toClaimedJob)
        .toSorted((a, b) => a.leaseUntil.getTime() - b.leaseUntil.getTime())
    },

    ...(kind === 'postgres'
      ? {
          async now() {
            const { rows } = await queries.readClock.run(db, {})
            return new Date(Number(rows[0]?.now))
          },
        }
      : {}),

    async get(jobId) {
      const { rows } = await queries.readJob.run(db, { jobId })
      const row = rows[0]
      return row === undefined ? null : jobMapping.fromRow(row)
    },

    async trim({ before, keep, spare, once, most }) {
      const { rows } = await writer.write(trimJobs[kind], {
        before: before.getTime(),
        keep,
        spare: spare?.getTime() ?? Number.MAX_SAFE_INTEGER,
        once: once?.getTime() ?? Number.MAX_SAFE_INTEGER,
        most: most ?? Number.MAX_SAFE_INTEGER,
      })
      return rows
        .toSorted((a, b) => a.finished_at - b.finished_at || a.seq - b.seq)
        .map(({ id }) => id)
    },
    async remove(jobId) {
      await writer.write(queries.removeJob, { jobId })
    },
  }
}

/** True if a statement changed a row. */
async function changes(result: Promise<{ readonly changed: number }>): Promise<boolean> {
  return (await result).changed > 0
}

/** The trigger that counts the waiting jobs has refused one. */
function isFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.message.includes('flow_job__full')
}

/** Comma-delimited names for `like`; null: all. */
function namesText(names: readonly string[] | undefined): string | null {
  return names === undefined ? null : `,${names.join(',')},`
}

/** A missing question or answer becomes null, because JSON has no undefined. */
function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null)
}
