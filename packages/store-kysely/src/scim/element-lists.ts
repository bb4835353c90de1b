import type { AttributePath } from '@x/scim-core'
import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'
import { jsonSql } from './json-sql.ts'
import { computed, documentOperand, prefixed, type ResourceColumns } from './operands.ts'
import { CONTACT_LISTS } from './search-keys.ts'
import type { Condition, Operand } from './filter-operators.ts'

/** SQL access to the elements of one list. */
export interface ElementList {
  /** The value of a sub-attribute of the current element. */
  operand(path: AttributePath): Operand
  /** Resources with an element that satisfies `where`. */
  some(where: Condition): Condition
  /** The condition under which an element counts as a value. */
  readonly present: Condition
}

/** The context of a filter translation. */
export interface ElementScope {
  readonly resource: ResourceColumns
  readonly tenant: string
  readonly dialect: DialectKind
  /** As a set of rows found through an index, or as a test of the current row. */
  readonly mode: 'sets' | 'rows' | 'ranges'
}

/** The list an `element` filter applies to. */
export function elementList(path: AttributePath, scope: ElementScope): ElementList {
  if (path.urn === null && scope.resource.kind === 'user') {
    if (CONTACT_LISTS.has(path.name)) return contactList(path.name, scope)
    if (path.name === 'groups') return groupsOfUser(scope)
  }
  if (path.urn === null && scope.resource.kind === 'group' && path.name === 'members') {
    return membersOfGroup(scope)
  }
  return documentList(path, scope)
}

const NULL: Operand = { kind: 'text', sql: sql`null`, indexed: false }

function column(name: string, kind: Operand['kind'] = 'text'): Operand {
  return { kind, sql: sql.ref(name), indexed: false }
}

function contactList(attr: string, { mode, tenant }: ElementScope): ElementList {
  const columns = new Map([
    ['value', column('e.value_key')],
    ['type', column('e.type_key')],
    ['display', column('e.display_key')],
    ['primary', column('e.is_primary', 'number')],
  ])
  return {
    operand: ({ sub }) => columns.get(sub ?? 'value') ?? NULL,
    some: (where) =>
      mode !== 'rows'
        ? sql`r.seq in (select e.user_seq from scim_user_element as e
            where e.tenant = ${tenant} and e.attr = ${attr} and ${where})`
        : sql`exists (select 1 from scim_user_element as e
            where e.user_seq = r.seq and e.attr = ${attr} and ${where})`,
    present: sql`(e.is_primary is not null or coalesce(e.value_key, '') <> ''
      or coalesce(e.type_key, '') <> '' or coalesce(e.display_key, '') <> '')`,
  }
}

function groupsOfUser({ tenant, dialect, mode }: ElementScope): ElementList {
  const joined = sql`scim_member as m join scim_group as g on g.tenant = m.tenant and g.id = m.group_id`
  return {
    operand(path) {
      if (path.sub === '$ref') return prefixed(path, sql`m.group_id`, dialect)
      if (path.sub === 'display') return column('g.display_name_key')
      if (path.sub === 'type') return computed(sql`cast('direct' as text)`, dialect)
      return column('m.group_id')
    },
    some: (where) =>
      mode !== 'rows'
        ? sql`r.seq in (select s.seq from ${joined}
            join scim_user as s on s.tenant = m.tenant and s.id = m.member_id
            where m.tenant = ${tenant} and ${where})`
        : sql`exists (select 1 from ${joined}
            where m.tenant = ${tenant} and m.member_id = r.id and ${where})`,
    present: sql`1 = 1`,
  }
}

function membersOfGroup({ tenant, dialect, mode }: ElementScope): ElementList {
  const joined = sql`scim_member as m
    left join scim_user as u on u.tenant = m.tenant and u.id = m.member_id and u.deleted_at is null
    left join scim_group as n on n.tenant = m.tenant and n.id = m.member_id`
  return {
    operand(path) {
      if (path.sub === '$ref') return memberAddress(path, dialect)
      if (path.sub === 'display') {
        return computed(sql`coalesce(u.display_key, n.display_name_key)`, dialect)
      }
      if (path.sub === 'type') {
        const [user, group] = path.caseExact ? ['User', 'Group'] : ['user', 'group']
        return computed(
          sql`case when n.id is null then ${sql.lit(user)} else ${sql.lit(group)} end`,
          dialect,
        )
      }
      return column('m.member_id')
    },
    some: (where) =>
      mode !== 'rows'
        ? sql`r.seq in (select s.seq from ${joined}
            join scim_group as s on s.tenant = m.tenant and s.id = m.group_id
            where m.tenant = ${tenant} and ${where})`
        : sql`exists (select 1 from ${joined}
            where m.tenant = ${tenant} and m.group_id = r.id and ${where})`,
    present: sql`1 = 1`,
  }
}

/** The URL of a member, below `/Users` or, for a nested group, below `/Groups`. */
function memberAddress(path: AttributePath, dialect: ElementScope['dialect']): Operand {
  const user = prefixed(path, sql`m.member_id`, dialect)
  if (path.groupPrefix === undefined) return user
  const group = prefixed({ ...path, prefix: path.groupPrefix }, sql`m.member_id`, dialect)
  return { ...user, sql: sql`case when n.id is null then ${user.sql} else ${group.sql} end` }
}

/** A list without its own table: elements are read from the documents of the row. */
function documentList(path: AttributePath, { dialect }: ElementScope): ElementList {
  const json = jsonSql(dialect)
  const list = path.urn === null ? [path.name] : [path.urn, path.name]
  const data: RawBuilder<unknown> = sql.ref('r.data')
  const { from, position, where: isElement } = json.elements(data, list)
  return {
    operand: (element) =>
      documentOperand(
        element,
        element.sub === null ? [...list, position] : [...list, position, element.sub],
        dialect,
      ),
    some: (where) => sql`exists (select 1 from ${from} where ${isElement} and ${where})`,
    present: json.present(data, [...list, position]),
  }
}
