import type { DialectKind } from '../../../engine/engine.ts'
import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Users, their lists, groups, memberships, tokens and the counts of both. */
export const initial: Migration = {
  id: '0001-initial',
  statements: (dialect) => [
    ...TABLES.map((table) => translateTypes(dialect, table)),
    ...INDEXES,
    ...counting(dialect),
  ],
}

const TABLES: readonly string[] = [
  `create table scim_user (
      seq SEQUENCE,
      tenant TEXT not null, id TEXT not null, external_id TEXT,
      user_name TEXT not null, user_name_key TEXT, active INT,
      display TEXT, display_key TEXT, display_name_key TEXT,
      given_name_key TEXT, family_name_key TEXT,
      created INT not null, modified INT not null, version INT not null, deleted_at INT,
      lists TEXT not null, search JSON not null, data TEXT not null,
      constraint scim_user__id unique (tenant, id))`,
  `create table scim_user_element (
      user_seq INT not null references scim_user (seq) on delete cascade,
      attr TEXT not null, ord INT not null,
      value_key TEXT, type_key TEXT, display_key TEXT, is_primary INT,
      primary key (user_seq, attr, ord)) CLUSTERED`,
  `create table scim_group (
      seq SEQUENCE,
      tenant TEXT not null, id TEXT not null, external_id TEXT,
      display_name TEXT not null, display_name_key TEXT not null, unique_key TEXT,
      created INT not null, modified INT not null, version INT not null,
      search JSON not null, data TEXT not null,
      constraint scim_group__id unique (tenant, id))`,
  `create table scim_member (
      tenant TEXT not null, group_id TEXT not null,
      added_at INT not null, member_id TEXT not null,
      primary key (tenant, group_id, added_at, member_id)) CLUSTERED`,
  `create table scim_token (
      id TEXT not null, tenant TEXT not null, digest TEXT not null,
      scopes TEXT not null, label TEXT, created INT not null,
      not_before INT, expires_at INT, revoked_at INT, last_used_at INT,
      constraint scim_token__id primary key (id),
      constraint scim_token__digest unique (digest))`,
  `create table scim_count (
      tenant TEXT not null, kind TEXT not null, shard INT not null, total INT not null,
      primary key (tenant, kind, shard)) CLUSTERED`,
]

const INDEXES: readonly string[] = [
  `create unique index scim_user__user_name_key on scim_user (tenant, user_name_key)`,
  `create index scim_user_order on scim_user (tenant, created, id, deleted_at)`,
  `create index scim_user_external_id on scim_user (tenant, external_id)
      where external_id is not null`,
  `create index scim_user_display_name on scim_user (tenant, display_name_key)`,
  `create index scim_user_name on scim_user (tenant, family_name_key, given_name_key)`,
  `create index scim_user_element_value on scim_user_element (attr, value_key)`,
  `create unique index scim_group__unique_key on scim_group (tenant, unique_key)
      where unique_key is not null`,
  `create index scim_group_order on scim_group (tenant, created, id)`,
  `create index scim_group_display_name on scim_group (tenant, display_name_key)`,
  `create index scim_group_external_id on scim_group (tenant, external_id)
      where external_id is not null`,
  `create unique index scim_member__group_id on scim_member (tenant, member_id, group_id)`,
  `create index scim_token_tenant on scim_token (tenant, created, id)`,
]

/** Lists show the true total, and counting 100,000 rows for each page would cost more than the page. */
function counting(dialect: DialectKind): string[] {
  return dialect === 'sqlite' ? countingInSqlite() : countingInPostgres()
}

function countingInSqlite(): string[] {
  const alive = 'new.deleted_at is null'
  const dies = 'old.deleted_at is null and new.deleted_at is not null'
  return [
    `create trigger scim_user_added after insert on scim_user when ${alive}
      begin ${addTo('user', 'new.tenant', '0', '1')}; end`,
    `create trigger scim_user_buried after update of deleted_at on scim_user when ${dies}
      begin ${addTo('user', 'new.tenant', '0', '-1')}; end`,
    `create trigger scim_user_removed after delete on scim_user when old.deleted_at is null
      begin ${addTo('user', 'old.tenant', '0', '-1')}; end`,
    `create trigger scim_group_added after insert on scim_group
      begin ${addTo('group', 'new.tenant', '0', '1')}; end`,
    `create trigger scim_group_removed after delete on scim_group
      begin ${addTo('group', 'old.tenant', '0', '-1')}; end`,
  ]
}

function addTo(kind: string, tenant: string, shard: string, change: string): string {
  return `insert into scim_count (tenant, kind, shard, total)
    values (${tenant}, '${kind}', ${shard}, ${change})
    on conflict (tenant, kind, shard) do update set total = scim_count.total + excluded.total`
}

function countingInPostgres(): string[] {
  const shard = 'pg_backend_pid() % 16'
  return [
    `create function scim_count_user() returns trigger language plpgsql as $$
      declare
        was int := case when tg_op = 'INSERT' or old.deleted_at is not null then 0 else 1 end;
        becomes int := case when tg_op = 'DELETE' or new.deleted_at is not null then 0 else 1 end;
      begin
        if was <> becomes then
          ${addTo('user', 'coalesce(new.tenant, old.tenant)', shard, 'becomes - was')};
        end if;
        return null;
      end $$`,
    `create function scim_count_group() returns trigger language plpgsql as $$
      declare
        change int := case tg_op when 'INSERT' then 1 else -1 end;
      begin
        ${addTo('group', 'coalesce(new.tenant, old.tenant)', shard, 'change')};
        return null;
      end $$`,
    `create trigger scim_user_counted after insert or delete or update of deleted_at on scim_user
      for each row execute function scim_count_user()`,
    `create trigger scim_group_counted after insert or delete on scim_group
      for each row execute function scim_count_group()`,
  ]
}
