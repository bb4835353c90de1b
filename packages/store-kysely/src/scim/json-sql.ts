import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../dialect.ts'

/** Reading JSON documents inside the database, in both dialects. */
export interface JsonSql {
  /** The text at a path; null when there is none. */
  text(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  number(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /** 0 or 1. */
  boolean(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /** Whether anything but null, `""` and empty containers stands at or below a path. */
  present(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown>
  /**
   * The elements of the list at a path as a table `name` of one column `position`: their place,
   * usable in further paths.
   */
  elements(document: RawBuilder<unknown>, path: JsonPath, name: string): RawBuilder<unknown>
}

/** Member names, and positions in lists as SQL. */
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
  elements: (document, path, name) =>
    sql`(select key as position from json_each(${document}, ${sqlitePath(path)})
      where json_type(${document}, ${sqlitePath(path)}) = 'array') as ${sql.ref(name)}`,
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
  text: (document, path) => sql`((${at(document, path)}) #>> '{}') collate "C"`,
  number: (document, path) => sql`(case jsonb_typeof(${at(document, path)}) when 'number'
    then (${at(document, path)} #>> '{}')::double precision end)`,
  boolean: (document, path) => sql`(case ${at(document, path)} #>> '{}'
    when 'true' then 1 when 'false' then 0 end)`,
  present: (document, path) =>
    sql`coalesce(jsonb_path_exists(${at(document, path)}, '$.** ? ((@.type() == "string" && @ != "")
      || @.type() == "number" || @.type() == "boolean")'), false)`,
  elements: (document, path, name) =>
    sql`(select generate_series(0, jsonb_array_length(${at(document, path)}) - 1) as position
      where jsonb_typeof(${at(document, path)}) = 'array') as ${sql.ref(name)}`,
}

function at(document: RawBuilder<unknown>, path: JsonPath): RawBuilder<unknown> {
  const parts = path.map((part) =>
    typeof part === 'string' ? sql`${part}::text` : sql`(${part})::text`,
  )
  return sql`(${document})::jsonb #> array[${sql.join(parts)}]`
}
