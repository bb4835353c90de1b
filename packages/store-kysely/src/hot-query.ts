import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { engineOf, type DialectKind } from './dialect.ts'
import { STATEMENT, type NamedQuery } from './statement-name.ts'

/** Names a place in a query whose value is given at each run. */
export type Placeholders<Values> = <Key extends keyof Values & string>(key: Key) => Values[Key]

/** A query that is built and compiled once for each dialect, and run with new values each time. */
export interface HotQuery<Tables, Values, Row> {
  run(db: Kysely<Tables>, values: Values): Promise<HotResult<Row>>
  /** The query with its values, to be run some other way. */
  bind(db: Kysely<Tables>, values: Values): CompiledQuery
}

/** Rows of a query and how many rows it changed. */
export interface HotResult<Row> {
  readonly rows: readonly Row[]
  readonly changed: number
}

class Placeholder {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }
}

let statements = 0

/**
 * Building and compiling cost several times what a point query costs the database, so what runs
 * often is compiled once. `build` is called with a function that stands for the values.
 */
export function hotQuery<Tables, Values extends object, Row>(
  build: (db: Kysely<Tables>, value: Placeholders<Values>) => Compilable<Row>,
): HotQuery<Tables, Values, Row> {
  const compiled = new Map<DialectKind, NamedQuery>()
  const bind = (db: Kysely<Tables>, values: Values): CompiledQuery => {
    const { kind } = engineOf(db)
    let query = compiled.get(kind)
    if (query === undefined) {
      statements += 1
      const built = build(db, placeholder as Placeholders<Values>)
      query = { ...built.compile(), [STATEMENT]: `x${statements}` }
      compiled.set(kind, query)
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? Reflect.get(values, value.key) : value,
    )
    return { ...query, parameters }
  }

  return {
    bind,
    async run(db, values) {
      const { rows, numAffectedRows } = await db.executeQuery(bind(db, values))
      return { rows: rows as readonly Row[], changed: Number(numAffectedRows ?? 0) }
    },
  }
}

/** Kysely passes parameters on as they are, so a placeholder may stand for a value of any type. */
function placeholder(key: string): unknown {
  return new Placeholder(key)
}
