import type { SealedKind, SealedValueStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import { decodeText } from '../records/columns.ts'
import type { FlowDb } from './context.ts'

interface Place {
  readonly table: string
  readonly value: string
  readonly owner: string
  readonly name: string
}

const owned = { owner: 'user_id', name: 'name' }

/** Where the encrypted values of each kind are; all tables have a sequence. */
const PLACES: Readonly<Record<SealedKind, Place>> = {
  variable: { table: 'flow_variable', value: 'value', ...owned },
  toolServer: { table: 'flow_mcp_server', value: 'config', ...owned },
  project: { table: 'flow_project', value: 'auth_settings', ...owned },
  collection: { table: 'flow_collection', value: 'api_key', ...owned },
  storeKey: { table: 'flow_user', value: 'store_api_key', owner: 'id', name: 'username' },
}

interface Row {
  readonly seq: number | bigint | string
  readonly owner: string
  readonly name: string
  readonly value: string
}

/** Encrypted values in SQL. */
export function createSealedValues(db: FlowDb): SealedValueStore {
  return {
    async list({ kind, after, limit }) {
      const { table, value, owner, name } = PLACES[kind]
      const { rows } =
        await sql<Row>`select seq, ${sql.ref(owner)} as owner, ${sql.ref(name)} as name,
        ${sql.ref(value)} as value from ${sql.table(table)}
        where seq > ${Number(after ?? 0)} and ${sql.ref(value)} is not null
        order by seq limit ${limit}`.execute(db)
      return rows.map((row) => ({
        kind,
        key: String(row.seq),
        userId: row.owner,
        name: decodeText(row.name),
        value: row.value,
      }))
    },
    async exchange({ kind, key, value: known }, by) {
      const { table, value } = PLACES[kind]
      const { numAffectedRows = 0n } = await sql`update ${sql.table(table)}
        set ${sql.ref(value)} = ${by}
        where seq = ${Number(key)} and ${sql.ref(value)} = ${known}`.execute(db)
      return numAffectedRows > 0n
    },
  }
}
