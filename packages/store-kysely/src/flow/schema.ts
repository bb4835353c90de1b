import type { Kysely } from 'kysely'
import {
  migrate,
  migrationPlan,
  migrationStatus,
  type MigrationState,
  type Schema,
} from '../schema/migrate.ts'
import { initial } from '../schema/migrations/flow/0001-initial.ts'
import { eventRows } from '../schema/migrations/flow/0002-event-rows.ts'
import { webhookNames } from '../schema/migrations/flow/0003-webhook-names.ts'
import { tokenEpoch } from '../schema/migrations/flow/0004-token-epoch.ts'
import { collections } from '../schema/migrations/flow/0005-collections.ts'
import { jobLanes } from '../schema/migrations/flow/0006-job-lanes.ts'
import { jobFences } from '../schema/migrations/flow/0007-job-fences.ts'
import { jobRests } from '../schema/migrations/flow/0008-job-rests.ts'
import { recordOwners } from '../schema/migrations/flow/0009-record-owners.ts'
import { auditRecords } from '../schema/migrations/flow/0010-audit-records.ts'
import { flowVersions } from '../schema/migrations/flow/0011-flow-versions.ts'
import { schedules } from '../schema/migrations/flow/0012-schedules.ts'
import { jobTraces } from '../schema/migrations/flow/0013-job-traces.ts'
import { jobResults } from '../schema/migrations/flow/0015-job-results.ts'
import { jobTurns } from '../schema/migrations/flow/0016-job-turns.ts'
import { agentKeys } from '../schema/migrations/flow/0019-agent-keys.ts'
import { jobChats } from '../schema/migrations/flow/0017-job-chats.ts'
import { processes } from '../schema/migrations/flow/0018-processes.ts'
import { budgets } from '../schema/migrations/flow/0020-budgets.ts'
import { heldJobs } from '../schema/migrations/flow/0021-held-jobs.ts'
import { runTraces } from '../schema/migrations/flow/0014-run-traces.ts'
import { addEmbeddings } from './embeddings.ts'

export const FLOW_SCHEMA: Schema = {
  name: 'flow',
  migrations: [
    initial,
    eventRows,
    webhookNames,
    tokenEpoch,
    collections,
    jobLanes,
    jobFences,
    jobRests,
    recordOwners,
    auditRecords,
    flowVersions,
    schedules,
    jobTraces,
    runTraces,
    jobResults,
    jobTurns,
    jobChats,
    processes,
    agentKeys,
    budgets,
    heldJobs,
  ],
}

/**
 * Creates or updates the tables of the flow store and the job store; does nothing if they are up to
 * date. Concurrent processes wait for each other. On PostgreSQL with the `vector` extension (pgvector) it
 * adds a column for nearest-neighbour search.
 * @throws MigrationError if the database was migrated by an incompatible version
 */
export async function migrateFlow<Tables>(db: Kysely<Tables>): Promise<void> {
  await migrate(db, FLOW_SCHEMA)
  await addEmbeddings(db)
}

/** The migrations of the flow schema, and which of them are applied. */
export function flowMigrationStatus<Tables>(db: Kysely<Tables>): Promise<MigrationState[]> {
  return migrationStatus(db, FLOW_SCHEMA)
}

/** The statements `migrateFlow` would run. */
export function flowMigrationPlan<Tables>(db: Kysely<Tables>): Promise<string[]> {
  return migrationPlan(db, FLOW_SCHEMA)
}
