import { Client, Query } from 'pg'
import type { DatabaseAddress } from './database-address.ts'
import type { QueryLimits } from './query-limits.ts'

type Address = Extract<DatabaseAddress, { kind: 'postgres' }>
type Row = Record<string, unknown>

/** Runs one SQL statement on a separate connection; it is closed if the row limit is exceeded. */
export async function queryPostgres(
  { host, port, database, user, password, tls }: Address,
  sql: string,
  limits: QueryLimits,
): Promise<{ columns: string[]; rows: Row[] }> {
  const client = new Client({
    host,
    port,
    database,
    ...(user === '' ? {} : { user }),
    ...(password === '' ? {} : { password }),
    ssl: tls,
    connectionTimeoutMillis: 5000,
    statement_timeout: limits.timeoutMs,
  })
  // The query itself reports its failure.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await collect(client, sql, limits)
  } finally {
    // In the middle of a result, ending the connection would read the rest first.
    client.end().catch(() => undefined)
  }
}

function collect(
  client: Client,
  sql: string,
  { timeoutMs, rows: limit, signal, parameters }: QueryLimits,
): Promise<{ columns: string[]; rows: Row[] }> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    // A server that no longer responds does not enforce the statement timeout either.
    const silent = AbortSignal.timeout(timeoutMs + 5000)
    const end = AbortSignal.any(signal === undefined ? [silent] : [silent, signal])
    const stop = (): void => {
      const late = new Error(`The query took longer than ${timeoutMs / 1000} seconds`)
      reject(silent.aborted ? late : (signal?.reason as Error))
      destroy(client)
    }
    if (end.aborted) stop()
    end.addEventListener('abort', stop)
    const query = client.query(
      new Query<Row>(sql, parameters.length === 0 ? undefined : [...parameters]),
    )
    query.on('row', (row) => {
      if (rows.length < limit) {
        rows.push(row)
        return
      }
      reject(new Error(`The query returns more than ${limit} rows: add a LIMIT`))
      destroy(client)
    })
    query.on('error', reject)
    query.on('end', ({ fields }) =>
      resolve({ columns: (fields ?? []).map(({ name }) => name), rows }),
    )
  })
}

/** Closes the connection without reading the rest of the result. */
function destroy(client: Client): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
