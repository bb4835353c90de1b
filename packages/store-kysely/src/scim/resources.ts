import { UniqueConflictError, type ResourceRecord, type ResourceStore } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { DatabaseError } from '../engine/database-error.ts'
import { atomic } from '../engine/transaction.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import type { ListCache } from './list-cache.ts'
import { listResources } from './list.ts'
import { fromResourceRow, RESOURCE_COLUMNS, toResourceRow } from './resource-row.ts'

type Db = Kysely<ScimTables>

/** A writable store of one type. */
export type SqlResourceStore = Required<Omit<ResourceStore, 'snapshot'>>

/** The resources of a host's own type in SQL. */
export function createResourceStore(db: Db, type: string, cache: ListCache): SqlResourceStore {
  return {
    async get(tenant, id) {
      const row = await db
        .selectFrom('scim_resource')
        .select(RESOURCE_COLUMNS)
        .where('tenant', '=', tenant)
        .where('type', '=', type)
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? null : fromResourceRow(tenant, row)
    },

    list: (tenant, query) => listResources(db, { tenant, query, cache, type }),

    insert: (tenant, record) =>
      atomic(db, async (tx) => {
        const row = { ...toResourceRow(record), tenant, type, id: record.id }
        await tx.insertInto('scim_resource').values(row).execute()
        await insertKeys(tx, { tenant, type, record })
        cache.inserted(record.created)
      }),

    update: (tenant, record, expectedVersion) =>
      atomic(db, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('scim_resource')
          .set(toResourceRow(record))
          .where('tenant', '=', tenant)
          .where('type', '=', type)
          .where('id', '=', record.id)
          .where('version', '=', expectedVersion)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        await deleteKeys(tx, { tenant, type, id: record.id })
        await insertKeys(tx, { tenant, type, record })
        cache.changed('updated')
        return true
      }),

    remove: (tenant, id) =>
      atomic(db, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('scim_resource')
          .where('tenant', '=', tenant)
          .where('type', '=', type)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await deleteKeys(tx, { tenant, type, id })
        cache.changed('removed')
        return true
      }),
  }
}

interface ResourceKey {
  readonly tenant: string
  readonly type: string
}

/** @throws UniqueConflictError naming the attribute whose value is taken */
async function insertKeys(
  tx: Db,
  { tenant, type, record }: ResourceKey & { readonly record: ResourceRecord },
): Promise<void> {
  for (const [attribute, key] of Object.entries(record.uniqueKeys)) {
    try {
      await tx
        .insertInto('scim_resource_key')
        .values({ tenant, type, attribute, key, resource_id: record.id })
        .execute()
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'unique') throw error
      throw new UniqueConflictError(`resource.${attribute}`, { cause: error })
    }
  }
}

async function deleteKeys(
  tx: Db,
  { tenant, type, id }: ResourceKey & { readonly id: string },
): Promise<void> {
  await tx
    .deleteFrom('scim_resource_key')
    .where('tenant', '=', tenant)
    .where('type', '=', type)
    .where('resource_id', '=', id)
    .execute()
}
