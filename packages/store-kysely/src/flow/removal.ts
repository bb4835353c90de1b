import { sql, type RawBuilder } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { deleteAll } from '../query/delete-all.ts'
import { idList } from '../query/id-list.ts'
import { removeBuilds, removeTransactions } from './build-records.ts'
import { collectionDeletions } from './collections.ts'
import type { FlowDb } from './context.ts'
import { removeMessages } from './message-sessions.ts'

/** Removes flows with their versions, messages and all that their runs have left. */
export async function removeFlows(tx: FlowDb, flowIds: readonly string[]): Promise<void> {
  for (const part of chunks(flowIds)) {
    const ids = sql`(select ids.id from ${idList(tx, part)})`
    await removeRecordsIn(tx, ids)
    await deleteAll(tx, [
      sql`delete from flow_run_trace where flow_id in ${ids}
        and owner_id in (select user_id from flow_flow where id in ${ids})`,
      sql`delete from flow_version where flow_id in ${ids}`,
      sql`delete from flow_version_data where flow_id in ${ids}`,
      sql`delete from flow_flow where id in ${ids}`,
    ])
  }
}

/**
 * Removes the messages, transactions and vertex builds of those ids that belong to no flow, and the traces
 * that an owner has of them.
 */
export async function removeRecords(
  tx: FlowDb,
  flowIds: readonly string[],
  ownerId?: string,
): Promise<void> {
  for (const part of chunks(flowIds)) {
    const gone = sql`(select ids.id from ${idList(tx, part)}
      where not exists (select 1 from flow_flow where flow_flow.id = ids.id))`
    await removeRecordsIn(tx, gone)
    if (ownerId === undefined) continue
    await sql`delete from flow_run_trace
      where owner_id = ${ownerId} and flow_id in ${gone}`.execute(tx)
  }
}

async function removeRecordsIn(tx: FlowDb, ids: RawBuilder<unknown>): Promise<void> {
  const where = sql`flow_id in ${ids}`
  await removeMessages(tx, where)
  await removeTransactions(tx, where)
  await removeBuilds(tx, where)
}

/** Removes everything a user owns, but not the user; returns the ids of the removed flows. */
export async function removeOwned(tx: FlowDb, userId: string): Promise<string[]> {
  const flows = await tx
    .selectFrom('flow_flow')
    .select('id')
    .where('user_id', '=', userId)
    .execute()
  const flowIds = flows.map(({ id }) => id)
  await removeFlows(tx, flowIds)
  await removeMessages(tx, sql`user_id = ${userId}`)
  const components = sql`(select id from flow_component where owner_id = ${userId})`
  await deleteAll(tx, [
    sql`delete from flow_component_tag where component_id in ${components}`,
    sql`delete from flow_like where user_id = ${userId} or component_id in ${components}`,
    sql`delete from flow_component where owner_id = ${userId}`,
    ...familyDeletions(sql`user_id = ${userId}`),
    ...collectionDeletions(userId),
    ...OWNED.map((table) => sql`delete from ${sql.table(table)} where user_id = ${userId}`),
  ])
  return flowIds
}

const OWNED = [
  'flow_api_key',
  'flow_variable',
  'flow_project',
  'flow_user_file',
  'flow_mcp_server',
  'flow_oidc_link',
] as const

/** Removes refresh families with their tokens. */
export async function removeFamilies(tx: FlowDb, condition: RawBuilder<unknown>): Promise<void> {
  await deleteAll(tx, familyDeletions(condition))
}

function familyDeletions(condition: RawBuilder<unknown>): RawBuilder<unknown>[] {
  return [
    sql`delete from flow_refresh_token where family_id in
      (select id from flow_refresh_family where ${condition})`,
    sql`delete from flow_refresh_family where ${condition}`,
  ]
}
