import type { LikeStore, TagStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import { folded } from './shared-components.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { tagMapping } from './mappings.ts'

/** Tags of the component store in SQL. */
export function createTags(db: FlowDb): TagStore {
  const rows = rowsOf(db, 'flow_tag', tagMapping)
  return {
    get: (id) => rows.first({ id }),
    findByName: (name) => rows.first({ name }),
    listPublic: () =>
      rows.select(sql`where not exists (select 1 from flow_component_tag as c where c.tag_id = r.id)
        or exists (select 1 from flow_component_tag as c join flow_component as s
          on s.id = c.component_id where c.tag_id = r.id and s.is_private = 0)
        order by name_key, id`),
    insert: (record) => rows.insert([record], ({ name }) => ({ name_key: folded(name) })),
  }
}

/** Likes of the component store in SQL. */
export function createLikes(db: FlowDb): LikeStore {
  return {
    async add(userId, componentId, at) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('flow_like')
        .values({ user_id: userId, component_id: componentId, at: at.getTime() })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },
    async remove(userId, componentId) {
      const { numDeletedRows } = await db
        .deleteFrom('flow_like')
        .where('user_id', '=', userId)
        .where('component_id', '=', componentId)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
    async count(componentId) {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from flow_like where component_id = ${componentId}`.execute(db)
      return rows[0]?.total ?? 0
    },
    async list(userId) {
      const { rows } = await sql<{ component_id: string; likes: number }>`
        select l.component_id,
          (select count(*) from flow_like as o where o.component_id = l.component_id) as likes
        from flow_like as l join flow_component as c on c.id = l.component_id
        where l.user_id = ${userId} and (c.is_private = 0 or c.owner_id = ${userId})
        order by l.seq desc`.execute(db)
      return rows.map(({ component_id, likes }) => ({ componentId: component_id, likes }))
    },
  }
}
