import type { FleetState, JobQueue } from '@x/flow-engine/store'
import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'

/** The processes that share the jobs, and what waits. */
export interface FleetService {
  /** @throws Refusal 404 if the store cannot tell */
  read(): Promise<object>
}

export interface FleetServiceOptions {
  readonly queue: Pick<JobQueue, 'fleet'>
  readonly store: Pick<FlowStore, 'users'>
  readonly leaseMs: number
}

export function createFleetService({ queue, store, leaseMs }: FleetServiceOptions): FleetService {
  return {
    async read() {
      const state = await queue.fleet?.()
      if (state === undefined) throw refuse(404, 'The store of this server has no fleet')
      const names = new Map<string, string>()
      for (const { userId } of state.users) {
        const user = userId === null ? null : await store.users.get(userId)
        if (user !== null) names.set(user.id, user.username)
      }
      return toWire(state, { names, leaseMs })
    },
  }
}

/** How long ago the lease was renewed that ends first, in seconds. */
export function oldestLeaseSeconds(
  { at, firstLeaseUntil }: FleetState,
  leaseMs: number,
): number | null {
  if (firstLeaseUntil === null) return null
  return Math.max(0, (at.getTime() - firstLeaseUntil.getTime() + leaseMs) / 1000)
}

export function secondsSince(at: Date, since: Date | null): number | null {
  return since === null ? null : Math.max(0, (at.getTime() - since.getTime()) / 1000)
}

function toWire(
  state: FleetState,
  { names, leaseMs }: { readonly names: ReadonlyMap<string, string>; readonly leaseMs: number },
): object {
  const { at, processes, users, database } = state
  return {
    at: at.toISOString(),
    processes: processes.map((one) => ({
      name: one.name,
      role: one.role,
      version: one.version,
      started_at: one.startedAt.toISOString(),
      seen_at: one.seenAt.toISOString(),
      running: one.running,
      places: one.places,
      event_loop_ms: one.eventLoopMs,
      clock_offset_seconds: one.clockOffsetMs / 1000,
      draining: one.draining,
    })),
    jobs: {
      queued: state.queued,
      running: state.running,
      suspended: state.suspended,
      suspects: state.suspects,
      oldest_queued_seconds: secondsSince(at, state.oldestQueuedAt),
      oldest_lease_seconds: oldestLeaseSeconds(state, leaseMs),
      expired_leases: state.expiredLeases,
      ended_last_minute: state.endedLastMinute,
    },
    users: users.map(({ userId, queued, running, oldestQueuedAt }) => ({
      user_id: userId,
      username: userId === null ? null : (names.get(userId) ?? null),
      queued,
      running,
      oldest_queued_seconds: secondsSince(at, oldestQueuedAt),
    })),
    ...(database === undefined
      ? {}
      : {
          database: {
            connections: database.connections,
            connections_max: database.maxConnections,
            oldest_transaction_seconds: database.oldestTransactionSeconds,
            oldest_transaction: database.oldestTransaction,
            bytes: database.bytes,
            dead_ratio: database.deadRatio,
          },
        }),
  }
}
