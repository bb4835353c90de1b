import { ENTERPRISE_URN, fold, type AttributePath } from '@x/scim-core'
import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'
import { jsonSql, type JsonPath } from './json-sql.ts'
import { INSTANTS } from './search-keys.ts'
import type { Operand } from './filter-operators.ts'

/** The columns of a resource type's attributes; `r` is the row of the resource. */
export interface ResourceColumns {
  readonly table: 'scim_user' | 'scim_group' | 'scim_resource'
  /** `resource:` followed by the name of a host's own type. */
  readonly kind: 'user' | 'group' | `resource:${string}`
  /** Excludes tombstones. */
  readonly alive: RawBuilder<unknown>
  readonly columns: ReadonlyMap<string, Operand>
}

const text = (column: string, indexed = false): Operand => ({
  kind: 'text',
  sql: sql.ref(`r.${column}`),
  indexed,
})
const number = (column: string): Operand => ({
  kind: 'number',
  sql: sql.ref(`r.${column}`),
  indexed: false,
})

const SHARED: readonly (readonly [string, Operand])[] = [
  ['id', text('id', true)],
  ['externalId', text('external_id', true)],
  ['meta.created', number('created')],
  ['meta.lastModified', number('modified')],
]

export const USERS: ResourceColumns = {
  table: 'scim_user',
  kind: 'user',
  alive: sql`r.deleted_at is null`,
  columns: new Map([
    ...SHARED,
    ['userName', text('user_name_key', true)],
    ['displayName', text('display_name_key', true)],
    ['name.familyName', text('family_name_key', true)],
    ['name.givenName', text('given_name_key')],
    ['active', number('active')],
  ]),
}

export const GROUPS: ResourceColumns = {
  table: 'scim_group',
  kind: 'group',
  alive: sql`1 = 1`,
  columns: new Map([...SHARED, ['displayName', text('display_name_key', true)]]),
}

const types = new Map<string, ResourceColumns>()

/** Resources of a host's own type, whose attributes are read from their documents. */
export function resourcesOf(type: string): ResourceColumns {
  const known = types.get(type)
  if (known !== undefined) return known
  const made: ResourceColumns = {
    table: 'scim_resource',
    kind: `resource:${type}`,
    alive: sql`r.type = ${type}`,
    columns: new Map(SHARED),
  }
  types.set(type, made)
  return made
}

/** The value of a singular attribute of the row `r`. */
export function operandOf(
  path: AttributePath,
  resource: ResourceColumns,
  dialect: DialectKind,
): Operand {
  const column = resource.columns.get(path.key)
  if (column !== undefined) return column
  if (path.key === 'meta.version') {
    const mark = path.caseExact ? 'W/"' : 'w/"'
    return computed(sql`(${sql.lit(mark)} || cast(r.version as text) || '"')`, dialect)
  }
  if (path.key === 'meta.location') return prefixed(path, sql`r.id`, dialect)
  if (path.name === 'manager' && path.urn === ENTERPRISE_URN && isComputedSub(path)) {
    return managerOperand(path, dialect)
  }
  const parts = path.sub === null ? [path.name] : [path.name, path.sub]
  return documentOperand(path, path.urn === null ? parts : [path.urn, ...parts], dialect)
}

/** A value in the documents: strings folded from `search`, everything else from `data`. */
export function documentOperand(
  path: AttributePath,
  parts: JsonPath,
  dialect: DialectKind,
): Operand {
  const json = jsonSql(dialect)
  const data = sql.ref('r.data')
  const search = sql.ref('r.search')
  switch (path.type) {
    case 'integer':
    case 'decimal':
      return { kind: 'number', sql: json.number(data, parts), indexed: false }
    case 'boolean':
      return { kind: 'number', sql: json.boolean(data, parts), indexed: false }
    case 'dateTime':
      return { kind: 'number', sql: json.number(search, [INSTANTS, ...parts]), indexed: false }
    default: {
      const exact = path.caseExact || path.type === 'binary'
      return { kind: 'text', sql: json.text(exact ? data : search, parts), indexed: false }
    }
  }
}

/** A computed URL: the prefix and the id it ends with. */
export function prefixed(
  path: AttributePath,
  id: RawBuilder<unknown>,
  dialect: DialectKind,
): Operand {
  const prefix = path.prefix ?? ''
  const given = sql`cast(${path.caseExact ? prefix : fold(prefix)} as text)`
  return computed(sql`(${given} || ${id})`, dialect)
}

/** A string computed by an expression; PostgreSQL compares it by code point. */
export function computed(expression: RawBuilder<unknown>, dialect: DialectKind): Operand {
  return {
    kind: 'text',
    sql: dialect === 'sqlite' ? expression : sql`(${expression} collate "C")`,
    indexed: false,
  }
}

const isComputedSub = ({ sub, prefix }: AttributePath): boolean =>
  sub === 'displayName' || (sub === '$ref' && prefix !== undefined)

/** `$ref` and `displayName` of a manager are those of the referenced user, if it exists. */
function managerOperand(path: AttributePath, dialect: DialectKind): Operand {
  const id = jsonSql(dialect).text(sql.ref('r.data'), [path.urn ?? '', path.name, 'value'])
  const shown =
    path.sub === 'displayName' ? sql`boss.display_key` : prefixed(path, sql`boss.id`, dialect).sql
  return {
    kind: 'text',
    sql: sql`(select ${shown} from scim_user as boss where boss.tenant = r.tenant
      and boss.id = ${id} and boss.deleted_at is null)`,
    indexed: false,
  }
}
