import { spawn } from 'node:child_process'
import { place } from '../engine/load-library.ts'
import { sqliteDriverName } from '../engine/sqlite-driver-name.ts'
import type { QueryLimits } from './query-limits.ts'
import { checkSqliteStatement } from './sqlite-statement.ts'

/** Maximum bytes of a result. */
const LARGEST = 64 * 1024 * 1024

/**
 * Runs one statement on a SQLite file in a child process that is killed on timeout, the only way to stop a
 * running SQLite query.
 */
export async function querySqlite(
  path: string,
  sql: string,
  { timeoutMs, rows, signal, parameters }: QueryLimits,
): Promise<{ columns: string[]; rows: Record<string, unknown>[] }> {
  checkSqliteStatement(sql)
  const request = { base: place, driver: sqliteDriverName(), path, sql, rows, parameters }
  const answer: unknown = JSON.parse(await runChild(JSON.stringify(request), { timeoutMs, signal }))
  const { error, ...result } = answer as Partial<SqliteAnswer>
  if (error !== undefined) throw new Error(error)
  return { columns: result.columns ?? [], rows: result.rows ?? [] }
}

interface SqliteAnswer {
  readonly error: string
  readonly columns: string[]
  readonly rows: Record<string, unknown>[]
}

/** Sends a request to a child process and reads its response. */
function runChild(
  request: string,
  { timeoutMs, signal: aborts }: Pick<QueryLimits, 'timeoutMs' | 'signal'>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-old-space-size=256', '-e', CHILD], {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      ...(aborts === undefined ? {} : { signal: aborts }),
      killSignal: 'SIGKILL',
    })
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > LARGEST) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else if (size > LARGEST) reject(new Error('The result is larger than 64 MiB: add a LIMIT'))
      else if (signal === 'SIGKILL') {
        reject(new Error(`The query took longer than ${timeoutMs / 1000} seconds`))
      } else reject(new Error('The query needed too much memory: add a LIMIT'))
    })
    // If the process has exited, the write fails; its exit is reported instead.
    child.stdin.on('error', () => undefined)
    child.stdin.end(request)
  })
}

const CHILD = `
const { createRequire } = require('node:module')
const read = require('node:fs').readFileSync
const { base, driver, path, sql, rows: limit, parameters } = JSON.parse(read(0, 'utf8'))
const plain = (value) => {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  const bytes = ArrayBuffer.isView(value) ? [value.buffer, value.byteOffset, value.byteLength] : [value]
  return Buffer.from(...bytes).toString('base64')
}
const work = () => {
  const Database = createRequire(base)(driver)
  const db = new Database(path, { fileMustExist: true, timeout: 5000 })
  const statement = db.prepare(sql)
  if (!statement.reader) {
    statement.run(...parameters)
    return { columns: [], rows: [] }
  }
  const rows = []
  for (const row of statement.iterate(...parameters)) {
    if (rows.length === limit) throw new Error('The query returns more than ' + limit + ' rows: add a LIMIT')
    rows.push(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
  }
  return { columns: statement.columns().map(({ name }) => name), rows }
}
let answer
try {
  answer = work()
} catch (error) {
  answer = { error: String((error && error.message) || error) }
}
process.stdout.write(JSON.stringify(answer))
`
