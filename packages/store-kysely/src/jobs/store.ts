import type { JobStore, LiveBus } from '@x/flow-engine/store'
import type { Kysely } from 'kysely'
import { engineOf, type Engine } from '../engine/engine.ts'
import { toFlowError } from '../flow/errors.ts'
import { flowTables } from '../flow/store.ts'
import { protect } from '../engine/protect.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createEventLog } from './event-log.ts'
import { createFleet } from './fleet.ts'
import { createLocalBus } from './local-bus.ts'
import { postgresBus } from './postgres-bus.ts'
import { createJobQueue } from './queue.ts'
import { createSchedules } from './schedules.ts'
import { createJobWriter } from './writer.ts'

/** Options of a job store. */
export interface JobStoreOptions {
  /**
   * True if several processes work on the jobs of this database. Default: true on PostgreSQL; false on
   * SQLite, whose notifications stay within the process.
   */
  readonly shared?: boolean
}

/**
 * The job store over a database that `migrateFlow` has prepared: queue, event log, live bus,
 * checkpoints and schedules. Writes of concurrent jobs share transactions. On PostgreSQL several
 * processes serve one set of jobs; LISTEN/NOTIFY wakes workers and readers.
 *
 * @throws TypeError when the database was not opened by `openSqlite` or `openPostgres`
 */
export function createJobStore<Tables>(
  db: Kysely<Tables>,
  options: JobStoreOptions = {},
): JobStore {
  const engine = engineOf(db)
  const flow = flowTables(db)
  const writer = createJobWriter(flow)
  const { shared = engine.kind === 'postgres' } = options
  return {
    queue: protect(
      { ...createJobQueue(flow, { writer, shared }), ...createFleet(flow) },
      toFlowError,
    ),
    log: protect(createEventLog(flow, writer), toFlowError),
    bus: busOf(engine),
    checkpoints: protect(createCheckpoints(flow, writer), toFlowError),
    schedules: protect(createSchedules(flow), toFlowError),
  }
}

const localBuses = new WeakMap<object, LiveBus>()

function busOf(engine: Engine): LiveBus {
  if (engine.kind === 'postgres') return postgresBus(engine.postgres)
  const known = localBuses.get(engine.sqlite)
  if (known !== undefined) return known
  const bus = createLocalBus()
  localBuses.set(engine.sqlite, bus)
  return bus
}
