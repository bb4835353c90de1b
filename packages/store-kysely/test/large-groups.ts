import { migrateScim } from '@x/store-kysely/scim'
import { sql, type Kysely } from 'kysely'

/** Groups `g0`, `g1` ... of the tenant `default`, each with the same users, straight into a SQLite file. */
export async function seedLargeGroups(
  db: Kysely<unknown>,
  { groups, members }: { readonly groups: number; readonly members: number },
): Promise<void> {
  await migrateScim(db)
  const numbers = (count: number) => sql`with recursive n (i) as
    (select 0 union all select i + 1 from n where i + 1 < ${count})`
  await db.transaction().execute(async (tx) => {
    await sql`insert into scim_user (tenant, id, user_name, user_name_key, active, display, display_key,
        created, modified, version, lists, search, data)
      ${numbers(members)} select 'default', printf('u%06d', i), printf('u%06d@corp.example', i),
        printf('u%06d@corp.example', i), 1, printf('User %d', i), printf('user %d', i), i, i, 1, '', '{}',
        '{"displayName":"User ' || i || '"}' from n`.execute(tx)
    await sql`insert into scim_group (tenant, id, display_name, display_name_key, unique_key, created,
        modified, version, search, data)
      ${numbers(groups)} select 'default', 'g' || i, 'Group ' || i, 'group ' || i, 'group ' || i, i, i, 1,
        '{}', '{}' from n`.execute(tx)
  })
  for (let group = 0; group < groups; group += 1) {
    await sql`insert into scim_member (tenant, group_id, added_at, member_id)
      ${numbers(members)} select 'default', ${`g${group}`}, 1, printf('u%06d', i) from n`.execute(
      db,
    )
  }
}
