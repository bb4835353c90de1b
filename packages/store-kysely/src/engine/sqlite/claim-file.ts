import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseError } from '../database-error.ts'
import { translateError } from '../translate-error.ts'
import type { SqliteDatabase } from './statement-cache.ts'

/** Where a database file has its `user_version`, which is the process id here. */
const PID_OFFSET = 60

/** Files that this process has claimed: opening one of them again would drop its lock. */
const claimed = new Set<string>()

/**
 * Claims a database file for this process: an operating-system lock on a file beside it, itself a tiny SQLite
 * database, which the kernel drops when the process ends. Returns a function that gives it up; `remove` for a
 * file that turned out to be no database.
 * @throws DatabaseError `busy` if another process, or this one, has it
 */
export function claimFile(
  Driver: new (path: string) => SqliteDatabase,
  path: string,
): (remove?: boolean) => void {
  const file = `${canonical(path)}-owner`
  if (claimed.has(file)) throw inUse(path, process.pid)
  const owner = new Driver(file)
  try {
    owner.pragma('busy_timeout = 0')
    // The lock is kept after the commit, which makes the process id readable in the file.
    owner.pragma('locking_mode = exclusive')
    owner.pragma('journal_mode = memory')
    owner.exec('begin exclusive')
    owner.pragma(`user_version = ${process.pid}`)
    owner.exec('commit')
  } catch (error) {
    owner.close()
    if (translateError(error).kind !== 'busy') throw error
    throw inUse(path, readPid(file))
  }
  claimed.add(file)
  return (remove = false) => {
    if (!claimed.delete(file)) return
    // A driver may keep a closed connection until its statements are collected. The next access, in normal
    // mode, drops the lock.
    owner.pragma('locking_mode = normal')
    owner.pragma('user_version')
    owner.close()
    if (remove) rmSync(file, { force: true })
  }
}

function readPid(file: string): number {
  const head = readFileSync(file).subarray(PID_OFFSET, PID_OFFSET + 4)
  return head.length === 4 ? head.readUInt32BE() : 0
}

/** The same for every way to name a file. */
function canonical(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It will be created.
    return join(realpathSync(dirname(path)), basename(path))
  }
}

function inUse(path: string, pid: number): DatabaseError {
  const holder = pid === 0 ? '' : ` (pid ${pid})`
  const advice = 'SQLite serves one process; use PostgreSQL for several'
  return new DatabaseError('busy', `${path} is in use by another process${holder}. ${advice}.`)
}
