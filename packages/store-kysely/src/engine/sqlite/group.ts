import { setImmediate as nextTurn } from 'node:timers/promises'
import type { QueryResult } from 'kysely'
import type { SqliteEngine } from './engine.ts'
import type { SqliteSession } from './session.ts'

/** Synchronous work of one caller inside a shared transaction. */
export interface GroupedWork<Result> {
  /** Approximate number of rows it writes; a transaction takes about 200. */
  readonly rows: number
  /** False: the write may be lost in a power failure, but not if the process is killed. */
  readonly durable: boolean
  /** The work writes no rows cached by `keptRecords`; other writes change `SqliteEngine.stamp`. */
  readonly invalidatesNothing?: boolean
  /** Must undo its writes if it throws. */
  run(session: SqliteSession): Result
}

/** Group commit: combines the writes of many callers into few transactions. */
export interface SqliteGroup {
  /** Resolves after the commit. Work runs in the order it was given. */
  write<Result>(work: GroupedWork<Result>): Promise<Result>
}

interface Entry {
  readonly work: GroupedWork<unknown>
  /** Called after the commit. */
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Keeps transactions short, so that they do not delay other work noticeably. */
const ROWS_AT_ONCE = 200

/**
 * A commit waits until this many turns of the event loop add no more work, up to this long. Each commit
 * writes all pages it touched, and rows with random ids touch many. An idle process does not wait, and a
 * busy one batches a lot.
 */
const IDLE_TURNS = 2
const MAX_WAIT_MS = 4

const groups = new WeakMap<SqliteEngine, SqliteGroup>()

/** The group of a database. */
export function sqliteGroup(engine: SqliteEngine): SqliteGroup {
  const known = groups.get(engine)
  if (known !== undefined) return known
  const { group, settled } = createGroup(engine)
  engine.beforeClose(settled)
  groups.set(engine, group)
  return group
}

function createGroup(engine: SqliteEngine): {
  readonly group: SqliteGroup
  /** Resolves when no work is pending. */
  readonly settled: () => Promise<void>
} {
  let waiting: Entry[] = []
  let flushing: Promise<void> | undefined

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await gathered()
      const batch = takeBatch(waiting)
      waiting = waiting.slice(batch.length)
      try {
        await engine.exclusive(() => commitBatch(engine, batch))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    flushing = undefined
  }
  /** Resolves when no more work arrives. */
  const gathered = async (): Promise<void> => {
    const begin = performance.now()
    let quiet = 0
    do {
      const seen = waiting.length
      await nextTurn()
      quiet = waiting.length > seen ? 0 : quiet + 1
    } while (
      quiet < IDLE_TURNS &&
      waiting.length < ROWS_AT_ONCE &&
      performance.now() - begin < MAX_WAIT_MS
    )
  }

  const write = <Result>(work: GroupedWork<Result>): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject })
      flushing ??= flush()
    })
  return {
    group: { write },
    async settled() {
      await flushing
    },
  }
}

function takeBatch(waiting: readonly Entry[]): Entry[] {
  let rows = 0
  const end = waiting.findIndex(({ work }) => {
    rows += work.rows
    return rows > ROWS_AT_ONCE
  })
  return waiting.slice(0, end === -1 ? waiting.length : Math.max(1, end))
}

/** Runs a batch in one transaction; work that throws does not affect the rest. */
function commitBatch(engine: SqliteEngine, batch: readonly Entry[]): void {
  const session = engine.writer
  engine.syncCommits(batch.some(({ work }) => work.durable))
  try {
    session.run('begin immediate', [])
    const settle = batch.map(({ work, resolve, reject }) => {
      try {
        const result = work.run(session)
        return () => resolve(result)
      } catch (error) {
        if (!session.database.inTransaction) throw error
        return () => reject(error)
      }
    })
    session.run('commit', [])
    if (!batch.every(({ work }) => work.invalidatesNothing === true)) engine.changed()
    for (const done of settle) done()
  } catch (error) {
    if (session.database.inTransaction) session.run('rollback', [])
    throw error
  }
}

/** How statements of a group are written; `rows` if they write more than one each. */
type Writing = Pick<GroupedWork<unknown>, 'durable' | 'invalidatesNothing'> &
  Partial<Pick<GroupedWork<unknown>, 'rows'>>

/** One statement as grouped work; a statement that fails rolls itself back. */
export function oneStatement<Row>(
  query: { readonly sql: string; readonly parameters: readonly unknown[] },
  writing: Writing,
): GroupedWork<QueryResult<Row>> {
  return { rows: 1, ...writing, run: (session) => session.run<Row>(query.sql, query.parameters) }
}

/** Several statements as grouped work, all or nothing. */
export function allStatements(
  queries: readonly { readonly sql: string; readonly parameters: readonly unknown[] }[],
  writing: Writing,
): GroupedWork<void> {
  return {
    rows: queries.length,
    ...writing,
    run: (session) =>
      savepoint(session, () => {
        for (const { sql, parameters } of queries) session.run(sql, parameters)
      }),
  }
}

/** Work within a shared transaction, all or nothing. */
export function savepoint(session: SqliteSession, work: () => void): void {
  session.run('savepoint x_part', [])
  try {
    work()
    session.run('release x_part', [])
  } catch (error) {
    if (session.database.inTransaction) {
      session.run('rollback to x_part', [])
      session.run('release x_part', [])
    }
    throw error
  }
}
