import type { CompiledQuery } from 'kysely'

/** Marks a query to be prepared under a name, on connections that cache statements by name. */
export const STATEMENT = Symbol('statement name')

export interface NamedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly [STATEMENT]: string
}

/** The name of a frequent query; undefined for all others. */
export function statementNameOf(query: CompiledQuery): string | undefined {
  return (query as Partial<NamedQuery>)[STATEMENT]
}
