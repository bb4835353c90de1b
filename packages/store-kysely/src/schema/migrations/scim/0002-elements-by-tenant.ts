import type { DialectKind } from '../../../engine/engine.ts'
import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * List elements get a tenant, by which they are searched, and folding treats the final sigma as the
 * ordinary one. Processes of the previous version may continue to write: a trigger adds the tenant.
 */
export const elementsByTenant: Migration = {
  id: '0002-elements-by-tenant',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(dialect, 'alter table scim_user_element add column tenant TEXT'),
    `update scim_user_element set tenant =
      (select u.tenant from scim_user as u where u.seq = scim_user_element.user_seq)`,
    ...fillTenant(dialect),
    `drop index scim_user_element_value`,
    `create index scim_user_element_tenant on scim_user_element (tenant, attr, value_key)`,
    ...foldSigma(dialect),
  ],
}

function fillTenant(dialect: DialectKind): string[] {
  const owner = '(select u.tenant from scim_user as u where u.seq = new.user_seq)'
  if (dialect === 'sqlite') {
    return [
      `create trigger scim_user_element_added after insert on scim_user_element when new.tenant is null
        begin update scim_user_element set tenant = ${owner}
          where user_seq = new.user_seq and attr = new.attr and ord = new.ord; end`,
    ]
  }
  return [
    `create function scim_fill_element() returns trigger language plpgsql as $$
      begin
        new.tenant := ${owner};
        return new;
      end $$`,
    `create trigger scim_user_element_added before insert on scim_user_element for each row
      when (new.tenant is null) execute function scim_fill_element()`,
  ]
}

/** A name whose new key another user holds keeps its old key. */
function foldSigma(dialect: DialectKind): string[] {
  const holds = (text: string): string =>
    dialect === 'sqlite' ? `instr(${text}, 'ς') > 0` : `strpos(${text}, 'ς') > 0`
  const replaced = (column: string): string => `replace(${column}, 'ς', 'σ')`
  const plain = (table: string, column: string): string =>
    `update ${table} set ${column} = ${replaced(column)} where ${holds(column)}`
  const unique = (table: string, column: string): string =>
    `${plain(table, column)} and not exists (select 1 from ${table} as o where o.tenant = ${table}.tenant
      and o.${column} = ${replaced(`${table}.${column}`)})`
  const search = (table: string): string =>
    dialect === 'sqlite'
      ? plain(table, 'search')
      : `update ${table} set search = ${replaced('search::text')}::jsonb where ${holds('search::text')}`
  return [
    unique('scim_user', 'user_name_key'),
    unique('scim_group', 'unique_key'),
    ...['display_key', 'display_name_key', 'given_name_key', 'family_name_key', 'lists'].map(
      (column) => plain('scim_user', column),
    ),
    plain('scim_group', 'display_name_key'),
    ...['value_key', 'type_key', 'display_key'].map((column) => plain('scim_user_element', column)),
    search('scim_user'),
    search('scim_group'),
  ]
}
