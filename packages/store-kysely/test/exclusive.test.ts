import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqliteDriverName } from '../src/engine/sqlite-driver-name.ts'
import { openSqlite } from '@x/store-kysely/sqlite'

/** Holds the file as `openSqlite` does, in another process. */
const HOLDER = `
const Driver = require(process.argv[1])
const owner = new Driver(process.argv[2] + '-owner')
owner.pragma('locking_mode = exclusive')
owner.pragma('journal_mode = memory')
owner.exec('begin exclusive')
owner.pragma('user_version = ' + process.pid)
owner.exec('commit')
console.log('held')
setInterval(() => {}, 1000)`

describe('FL-5 a SQLite file belongs to one process', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'x-exclusive-'))
    path = join(folder, 'service.db')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('a second opening is refused while the first lasts, also by another name', async () => {
    const db = openSqlite<unknown>(path, { exclusive: true })
    const refusal = `is in use by another process (pid ${process.pid}). SQLite serves one process; use PostgreSQL for several.`
    expect(() => openSqlite(path, { exclusive: true })).toThrow(refusal)
    symlinkSync(path, join(folder, 'link.db'))
    expect(() => openSqlite(join(folder, 'link.db'), { exclusive: true })).toThrow(refusal)
    // A backup, or a reader.
    const other = openSqlite<unknown>(path)
    await sql`select 1`.execute(other)
    await other.destroy()
    expect(() => openSqlite(path, { exclusive: true })).toThrow(refusal)
    await db.destroy()
    await openSqlite(path, { exclusive: true }).destroy()
  })

  test('a process that is killed leaves nothing behind', async () => {
    const driver = fileURLToPath(import.meta.resolve(sqliteDriverName()))
    const child = spawn(process.execPath, ['-e', HOLDER, driver, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(createInterface({ input: child.stdout }), 'line')
    expect(() => openSqlite(path, { exclusive: true })).toThrow(
      `another process (pid ${child.pid})`,
    )
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    await openSqlite(path, { exclusive: true }).destroy()
  })

  test('a file that cannot be opened is not claimed', async () => {
    expect(() => openSqlite(folder, { exclusive: true })).toThrow('cannot be opened')
    await openSqlite(':memory:', { exclusive: true }).destroy()
    await openSqlite(':memory:', { exclusive: true }).destroy()
  })
})
