import type { AttributePath, KeysetPosition, ListQuery } from '@x/scim-core'
import { sql, type RawBuilder } from 'kysely'
import { jsonSql } from './json-sql.ts'
import type { ElementScope } from './element-lists.ts'
import { documentOperand, operandOf, prefixed } from './operands.ts'
import { CONTACT_LISTS } from './search-keys.ts'
import type { Condition } from './filter-operators.ts'

/** The total order of a list. */
export interface ListOrder {
  /** The sort key; null: created. */
  readonly key: RawBuilder<unknown> | null
  readonly descending: boolean
  /** Every resource has the key. */
  readonly total: boolean
  /** @param unindexed prevents SQLite from using the index of the order */
  terms(unindexed: boolean): RawBuilder<unknown>
  /** The same order over a precomputed key. */
  termsOver(key: RawBuilder<unknown>): RawBuilder<unknown>
}

export function orderOf(sort: ListQuery['sort'], scope: ElementScope): ListOrder {
  if (sort === undefined) {
    return {
      key: null,
      descending: false,
      total: true,
      termsOver: () => sql`r.created, r.id`,
      terms: (unindexed) =>
        unindexed && scope.dialect === 'sqlite' ? sql`+r.created, +r.id` : sql`r.created, r.id`,
    }
  }
  const { path, descending } = sort
  // URLs are compared as they are, since all have the same prefix.
  const key = sortExpression(
    { ...path, caseExact: path.caseExact || path.prefix !== undefined },
    scope,
  )
  const direction = descending ? sql`desc` : sql`asc`
  // Resources without a value come last ascending and first descending.
  const termsOver = (over: RawBuilder<unknown>): RawBuilder<unknown> => {
    if (path.key === 'userName') return sql`${over} ${direction}`
    return NEVER_NULL.has(path.key)
      ? sql`${over} ${direction}, r.id`
      : sql`(${over} is null) ${direction}, ${over} ${direction}, r.id`
  }
  const total = NEVER_NULL.has(path.key)
  return { key, descending, total, termsOver, terms: () => termsOver(key) }
}

const NEVER_NULL: ReadonlySet<string> = new Set([
  'id',
  'userName',
  'meta.created',
  'meta.lastModified',
])

/** Rows after a position in the order. */
export function afterPosition(
  { key, descending, total }: ListOrder,
  { created, id, key: given }: KeysetPosition,
): Condition {
  if (key === null) return sql`(r.created, r.id) > (${created.getTime()}, ${id})`
  if (given === null) {
    return descending
      ? sql`(${key} is not null or r.id > ${id})`
      : sql`(${key} is null and r.id > ${id})`
  }
  const value = typeof given === 'boolean' ? Number(given) : given
  if (total && !descending) return sql`(${key}, r.id) > (${value}, ${id})`
  const sameKey = sql`(${key} = ${value} and r.id > ${id})`
  return descending
    ? sql`(${key} < ${value} or ${sameKey})`
    : sql`(${key} > ${value} or ${key} is null or ${sameKey})`
}

/** The comparable value of an attribute; for a list, that of its primary or first element. */
function sortExpression(path: AttributePath, scope: ElementScope): RawBuilder<unknown> {
  const { resource, dialect, tenant } = scope
  if (!path.multiValued) return operandOf(path, resource, dialect).sql
  if (path.urn === null && resource.kind === 'user' && CONTACT_LISTS.has(path.name)) {
    const columns: Readonly<Record<string, string>> = {
      type: 'e.type_key',
      display: 'e.display_key',
      primary: 'e.is_primary',
    }
    return sql`(select ${sql.ref(columns[path.sub ?? ''] ?? 'e.value_key')}
      from scim_user_element as e where e.user_seq = r.seq and e.attr = ${path.name}
      order by coalesce(e.is_primary, 0) desc, e.ord limit 1)`
  }
  if (path.urn === null && path.name === 'groups') {
    return sql`(select ${groupValue(path, scope)} from scim_member as m
      join scim_group as g on g.tenant = m.tenant and g.id = m.group_id
      where m.tenant = ${tenant} and m.member_id = r.id order by m.group_id limit 1)`
  }
  if (path.urn === null && path.name === 'members') {
    return sql`(select ${memberValue(path, scope)} from scim_member as m
      left join scim_user as u on u.tenant = m.tenant and u.id = m.member_id
      left join scim_group as n on n.tenant = m.tenant and n.id = m.member_id
      where m.tenant = ${tenant} and m.group_id = r.id order by m.added_at, m.member_id limit 1)`
  }
  return documentListValue(path, scope)
}

function groupValue(path: AttributePath, { dialect }: ElementScope): RawBuilder<unknown> {
  if (path.sub === 'display') return sql`g.display_name_key`
  if (path.sub === '$ref') return prefixed(path, sql`m.group_id`, dialect).sql
  return path.sub === 'type' ? sql`cast('direct' as text)` : sql`m.group_id`
}

function memberValue(path: AttributePath, { dialect }: ElementScope): RawBuilder<unknown> {
  if (path.sub === 'display') return sql`coalesce(u.display_key, n.display_name_key)`
  if (path.sub === '$ref') return prefixed(path, sql`m.member_id`, dialect).sql
  return path.sub === 'type'
    ? sql`case when n.id is null then 'user' else 'group' end`
    : sql`m.member_id`
}

function documentListValue(path: AttributePath, { dialect }: ElementScope): RawBuilder<unknown> {
  const json = jsonSql(dialect)
  const list = path.urn === null ? [path.name] : [path.urn, path.name]
  const data = sql.ref('r.data')
  const { from, position, primary, where } = json.elements(data, list)
  const value = documentOperand(
    path,
    path.sub === null ? [...list, position] : [...list, position, path.sub],
    dialect,
  )
  return sql`(select ${value.sql} from ${from} where ${where}
    order by ${primary} desc, ${position} limit 1)`
}
