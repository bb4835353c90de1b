import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'

/** Reads JSON documents inside the database, in both dialects. */
export interface JsonSql {
  /** The string at a path; null if there is none. */
  text(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  number(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /** 0 or 1. */
  boolean(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /** True if a path contains anything but null, `""` and empty containers. */
  present(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /** The elements of the list at a path, to select from. */
  elements(document: RawBuilder<unknown>, path: JsonPath): JsonElements
}

/** Elements of a list as the table `e`. */
export interface JsonElements {
  readonly from: RawBuilder<unknown>
  /** The index of an element in its list, usable in further paths. */
  readonly position: RawBuilder<unknown>
  /** 1 for an element whose `primary` is true. */
  readonly primary: RawBuilder<unknown>
  /** Excludes values that are not list elements. */
  readonly where: RawBuilder<unknown>
}

/** Member names, and array indexes as SQL. */
export type JsonPath = readonly (string | RawBuilder<unknown>)[]

export function jsonSql(dialect: DialectKind): JsonSql {
  return dialect === 'sqlite' ? SQLITE : POSTGRES
}

const SQLITE: JsonSql = {
  text: (document, path) => sql`json_extract(${document}, ${sqlitePath(path)})`,
  number: (document, path) => sql`json_extract(${document}, ${sqlitePath(path)})`,
  boolean: (document, path) => sql`json_extract(${document}, ${sqlitePath(path)})`,
  present: (document, path) =>
    sql`exists (select 1 from json_tree(${document}, ${sqlitePath(path)}) as leaf
      where leaf.atom is not null and leaf.atom <> '')`,
  elements: (document, path) => ({
    from: sql`json_each(${document}, ${sqlitePath(path)}) as e`,
    position: sql.ref('e.key'),
    // SQLite does not resolve the outer row in the `order by` of a sub-select.
    primary: sql`coalesce(case e.type when 'object' then e.value ->> '$.primary' end, 0)`,
    where: sql`typeof(e.key) = 'integer'`,
  }),
}

/** `$."name"[0]`, with names as parameters. */
function sqlitePath(path: JsonPath): RawBuilder<unknown> {
  const parts = path.map((part) =>
    typeof part === 'string'
      ? sql`${`."${part.replaceAll('"', '')}"`}`
      : sql`'[' || ${part} || ']'`,
  )
  return sql`('$' || ${sql.join(parts, sql` || `)})`
}

const POSTGRES: JsonSql = {
  text: (document, path) => sql`((${jsonAt(document, path)}) #>> '{}') collate "C"`,
  number: (document, path) => sql`(case jsonb_typeof(${jsonAt(document, path)}) when 'number'
    then (${jsonAt(document, path)} #>> '{}')::double precision end)`,
  boolean: (document, path) => sql`(case ${jsonAt(document, path)} #>> '{}'
    when 'true' then 1 when 'false' then 0 end)`,
  present: (document, path) =>
    sql`coalesce(jsonb_path_exists(${jsonAt(document, path)}, '$.** ? ((@.type() == "string" && @ != "")
      || @.type() == "number" || @.type() == "boolean")'), false)`,
  elements: (document, path) => ({
    from: sql`generate_series(0, coalesce(jsonb_array_length(case
      jsonb_typeof(${jsonAt(document, path)}) when 'array' then ${jsonAt(document, path)} end), 0) - 1)
      as e (position)`,
    position: sql.ref('e.position'),
    primary: sql`coalesce(${POSTGRES.boolean(document, [...path, sql.ref('e.position'), 'primary'])}, 0)`,
    where: sql`1 = 1`,
  }),
}

function jsonAt(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown> {
  const parts = path.map((part) =>
    typeof part === 'string' ? sql`${part}::text` : sql`(${part})::text`,
  )
  return sql`(${document})::jsonb #> array[${sql.join(parts)}]`
}
