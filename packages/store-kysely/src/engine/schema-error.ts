import type { DatabaseError } from './database-error.ts'

/** A table or a column is missing: the database was not migrated, or by an older version only. */
export interface SchemaError extends Error {
  /** `schema_missing` without the first table of a schema, else `schema_outdated`. */
  readonly code: 'schema_missing' | 'schema_outdated'
  /** The function to call, such as `migrateFlow`. */
  readonly migrate: string
}

const BRAND = Symbol.for('@x/schema-error')

/** True for an error of a store whose tables are missing or older, also of another copy of this package. */
export function isSchemaError(value: unknown): value is SchemaError {
  return typeof value === 'object' && value !== null && BRAND in value
}

type Facts = Pick<SchemaError, 'code' | 'migrate' | 'message'>

/**
 * What a database error says about the schema; undefined if nothing.
 * @param isFirst tells whether the first migration creates a table
 */
export function schemaFaultOf(
  { cause }: DatabaseError,
  migrate: string,
  isFirst: (table: string) => boolean,
): Facts | undefined {
  const { message, code } = Object(cause) as { readonly message?: unknown; readonly code?: unknown }
  const text = String(message)
  const table =
    code === '42P01'
      ? /"([^"]+)"/.exec(text)?.[1]
      : /^no such table: (?:main\.)?(\S+)$/.exec(text)?.[1]
  if (table !== undefined)
    return schemaFault(isFirst(table) ? 'schema_missing' : 'schema_outdated', table, migrate)
  const isColumn = code === '42703' || /^no such column: |has no column named /.test(text)
  return isColumn ? schemaFault('schema_outdated', undefined, migrate) : undefined
}

export function schemaFault(
  code: SchemaError['code'],
  table: string | undefined,
  migrate: string,
): Facts {
  const what =
    table === undefined
      ? 'The tables of the database are older than this version'
      : `The database has no table ${table}`
  return { code, migrate, message: `${what}: call await ${migrate}(db) before the first request.` }
}

/** The error of a store as one about the schema. */
export function asSchemaError<Failure extends Error>(
  failure: Failure,
  { code, migrate }: Facts,
): Failure & SchemaError {
  Object.defineProperty(failure, BRAND, { value: true })
  return Object.assign(failure, { name: 'SchemaError', code, migrate })
}
