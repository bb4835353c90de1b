import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { engineOf, type DialectKind } from '../engine/engine.ts'
import { execute } from '../engine/execute.ts'
import { STATEMENT, type NamedQuery } from '../engine/statement-name.ts'

/** Names a placeholder in a query whose value is supplied on each run. */
export type Placeholders<Values> = <Key extends keyof Values & string>(key: Key) => Values[Key]

/** A query that is compiled once per dialect and run with new values each time. */
export interface PreparedQuery<Tables, Values, Row> {
  run(db: Kysely<Tables>, values: Values): Promise<PreparedQueryResult<Row>>
  /** Binds values without running the query. */
  bind(db: Kysely<Tables>, values: Values): CompiledQuery<Row>
}

/** The rows of a query, and how many it changed. */
export interface PreparedQueryResult<Row> {
  readonly rows: readonly Row[]
  readonly changed: number
  /** The rowid of an inserted row; only on SQLite. */
  readonly insertId: number | undefined
}

class Placeholder {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }
}

let statements = 0

/**
 * Building and compiling a query costs several times as much as running a point query, so frequent queries
 * are compiled once. `build` is called with a placeholder function in place of values.
 */
export function preparedQuery<Tables, Values extends object, Row>(
  build: (db: Kysely<Tables>, value: Placeholders<Values>) => Compilable<Row>,
): PreparedQuery<Tables, Values, Row> {
  const compiled = new Map<DialectKind, NamedQuery<Row>>()
  const bind = (db: Kysely<Tables>, values: Values): CompiledQuery<Row> => {
    const { kind } = engineOf(db)
    let query = compiled.get(kind)
    if (query === undefined) {
      statements += 1
      const built = build(db, placeholder as Placeholders<Values>)
      query = { ...built.compile(), [STATEMENT]: `x${statements}` }
      compiled.set(kind, query)
    }
    const parameters: unknown[] = []
    for (const value of query.parameters)
      parameters.push(value instanceof Placeholder ? valueOf(values, value.key) : value)
    const { query: node, sql, queryId } = query
    // Written out, because spreading costs more than binding the values.
    return {
      query: node,
      sql,
      queryId,
      parameters,
      [STATEMENT]: query[STATEMENT],
    } as CompiledQuery<Row>
  }

  return {
    bind,
    async run(db, values) {
      const found = execute<Row, Tables>(db, bind(db, values))
      const { rows, numAffectedRows, insertId } = found instanceof Promise ? await found : found
      return {
        rows,
        changed: Number(numAffectedRows ?? 0),
        insertId: insertId === undefined ? undefined : Number(insertId),
      }
    },
  }
}

/** Several times as fast as `Reflect.get`. */
function valueOf(values: object, key: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[key]
}

/** Kysely passes parameters through unchanged, so a placeholder can represent a value of any type. */
function placeholder(key: string): unknown {
  return new Placeholder(key)
}
