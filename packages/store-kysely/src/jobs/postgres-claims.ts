import type { ClaimedJob } from '@x/flow-engine/store'
import type { FlowDb } from '../flow/context.ts'
import {
  claimJobs,
  heartbeatJobs,
  suspectsNumber,
  type ClaimsRow,
  type ClaimsValues,
} from './claim-queries.ts'
import { toClaimedJob, type ClaimedRow } from './mapping.ts'
import * as queries from './queue-queries.ts'
import { together } from './together.ts'

export interface Claim {
  readonly worker: string
  readonly leaseUntil: number
  readonly now: number
  readonly lanes: readonly string[] | undefined
  readonly suspects: boolean | 'apart'
  /** Null: none. */
  readonly apart: number | null
  readonly left: ((waiting: number) => void) | undefined
}

export interface Heartbeat {
  readonly jobId: string
  readonly worker: string
  readonly leaseUntil: number
}

/** Claims and heartbeats on PostgreSQL: those of one turn of the event loop share a statement. */
export interface PostgresClaims {
  readonly claim: (claim: Claim) => Promise<ClaimedJob | null>
  readonly heartbeat: (heartbeat: Heartbeat) => Promise<'kept' | 'lost' | 'cancel'>
}

export function postgresClaims(db: FlowDb): PostgresClaims {
  const claimAll = async (claims: readonly Claim[]): Promise<readonly ClaimsRow[]> => {
    const values: ClaimsValues = {
      workers: claims.map(({ worker }) => worker),
      leases: claims.map(({ leaseUntil }) => leaseUntil),
      times: claims.map(({ now }) => now),
      lanes: claims[0]?.lanes ?? null,
      suspects: claims.reduce((max, { suspects }) => Math.max(max, suspectsNumber(suspects)), 0),
      apart: claims[0]?.apart ?? null,
    }
    const { rows } = await claimJobs.now.run(db, values)
    if (rows.some(isClaimed) || Number(rows[0]?.turns) === 0) return rows
    // All turns are held by statements of others, which end soon.
    return (await claimJobs.afterOthers.run(db, values)).rows
  }
  return {
    claim: together<Claim, ClaimedJob | null>(async (calls) => {
      const kinds = new Set(calls.map(({ call }) => kindOf(call)))
      await Promise.all(
        [...kinds].map(async (kind) => {
          const group = calls.filter(({ call }) => kindOf(call) === kind)
          const rows = await claimAll(group.map(({ call }) => call))
          const jobs = new Map(rows.filter(isClaimed).map((row) => [row.worker, toClaimedJob(row)]))
          for (const { call, done } of group) {
            call.left?.(Number(rows[0]?.left_waiting))
            done(jobs.get(call.worker) ?? null)
          }
        }),
      )
    }),
    heartbeat: together<Heartbeat, 'kept' | 'lost' | 'cancel'>(async (calls) => {
      const { rows } = await heartbeatJobs.run(db, {
        ids: calls.map(({ call }) => call.jobId),
        workers: calls.map(({ call }) => call.worker),
        leases: calls.map(({ call }) => call.leaseUntil),
      })
      const kept = new Map(rows.map((row) => [`${row.id} ${row.worker}`, row.cancel_requested]))
      await Promise.all(
        calls.map(async ({ call, done, failed }) => {
          const cancel = kept.get(`${call.jobId} ${call.worker}`)
          try {
            // Not held any more, or locked by another transaction, for which only this one waits.
            if (cancel === undefined) done(await beatAlone(db, call))
            else done(queries.heartbeatOf([{ cancel_requested: cancel }]))
          } catch (error) {
            failed(error)
          }
        }),
      )
    }),
  }
}

async function beatAlone(db: FlowDb, call: Heartbeat): Promise<'kept' | 'lost' | 'cancel'> {
  return queries.heartbeatOf((await queries.heartbeatJob.run(db, call)).rows)
}

const kindOf = ({ lanes, apart, suspects }: Claim): string =>
  `${apart} ${suspects === 'apart'} ${String(lanes)}`

const isClaimed = (row: ClaimsRow): row is ClaimsRow & ClaimedRow => typeof row.id === 'string'
