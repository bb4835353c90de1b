import type { FlowVersionRecord, FlowVersionStore, NewFlowVersion } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import { encodeText } from '../records/columns.ts'
import type { RowOf } from '../schema/tables/flow.ts'
import type { FlowDb } from './context.ts'
import { flowVersionMapping } from './mappings.ts'
import { sliceOf } from './slices.ts'

/** Versions of flows in SQL. */
export function createFlowVersions(db: FlowDb): FlowVersionStore {
  const select = async (
    data: RawBuilder<unknown>,
    rest: RawBuilder<unknown>,
  ): Promise<FlowVersionRecord[]> => {
    const { rows } = await sql<
      RowOf<FlowVersionRecord>
    >`select v.id, v.flow_id, v.user_id, v.number,
      v.description, v.created_at, ${data} as data from flow_version v ${rest}`.execute(db)
    return rows.map((row) => flowVersionMapping.fromRow(row))
  }
  const one = async (condition: RawBuilder<unknown>): Promise<FlowVersionRecord | null> => {
    const rest = sql`left join flow_version_data d on d.flow_id = v.flow_id and d.hash = v.data_hash
      where ${condition}`
    return (await select(sql`d.data`, rest))[0] ?? null
  }

  return {
    add: (version, keep) => atomic(db, (tx) => addVersion(tx, version, keep)),
    get: (flowId, id) => one(sql`v.id = ${id} and v.flow_id = ${flowId}`),
    findByNumber: (flowId, number) => one(sql`v.flow_id = ${flowId} and v.number = ${number}`),
    list: (flowId, slice) =>
      select(sql`null`, sql`where v.flow_id = ${flowId} order by v.number desc ${sliceOf(slice)}`),
    remove: (flowId, id) =>
      atomic(db, async (tx) => {
        // Locks the flow's row while versions are added or removed, so that shared data is not removed
        // meanwhile.
        await sql`update flow_flow set version_count = version_count where id = ${flowId}`.execute(
          tx,
        )
        const { numAffectedRows = 0n } =
          await sql`delete from flow_version where id = ${id} and flow_id = ${flowId}`.execute(tx)
        await removeUnusedData(tx, flowId)
        return numAffectedRows > 0n
      }),
  }
}

async function addVersion(
  tx: FlowDb,
  { hash, ...version }: NewFlowVersion,
  keep: number,
): Promise<FlowVersionRecord | null> {
  const { id, flowId, userId, description, data, createdAt } = version
  const { rows } = await sql<{ number: number }>`update flow_flow
    set version_count = version_count + 1 where id = ${flowId} and user_id = ${userId}
    returning version_count as number`.execute(tx)
  const number = rows[0]?.number
  if (number === undefined) return null
  if (hash !== null && data !== null) {
    await sql`insert into flow_version_data (flow_id, hash, data)
      values (${flowId}, ${hash}, ${encodeText(data)}) on conflict (flow_id, hash) do nothing`.execute(
      tx,
    )
  }
  const text = description === null ? null : encodeText(description)
  await sql`insert into flow_version (id, flow_id, user_id, number, description, data_hash, created_at)
    values (${id}, ${flowId}, ${userId}, ${number}, ${text}, ${hash}, ${createdAt.getTime()})`.execute(
    tx,
  )
  const { numAffectedRows = 0n } = await sql`delete from flow_version where flow_id = ${flowId}
    and number <= (select o.number from flow_version o where o.flow_id = ${flowId}
      order by o.number desc limit 1 offset ${keep})`.execute(tx)
  if (numAffectedRows > 0n) await removeUnusedData(tx, flowId)
  return { ...version, number }
}

async function removeUnusedData(tx: FlowDb, flowId: string): Promise<void> {
  await sql`delete from flow_version_data where flow_id = ${flowId} and not exists
    (select 1 from flow_version v where v.flow_id = flow_version_data.flow_id
      and v.data_hash = flow_version_data.hash)`.execute(tx)
}
