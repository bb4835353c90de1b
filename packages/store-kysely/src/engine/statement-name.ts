import type { CompiledQuery } from 'kysely'

/** Marks a query that is to be prepared under a name on connections that keep statements by name. */
export const STATEMENT = Symbol('statement name')

export interface NamedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly [STATEMENT]: string
}

/** The name of a hot query; undefined for all others. */
export function statementNameOf(query: CompiledQuery): string | undefined {
  return (query as Partial<NamedQuery>)[STATEMENT]
}
