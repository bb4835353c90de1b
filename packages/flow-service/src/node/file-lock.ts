import { createHash } from 'node:crypto'
import { open, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createSystemRuntime, type Runtime } from '@x/wire'
import { hasCode, temporaryName } from './safe-folder.ts'

export interface FileLockOptions {
  /** A lock that was not renewed for this long counts as abandoned, in milliseconds. Default 30 s. */
  readonly staleMs?: number
  /** Maximum wait for the lock, in milliseconds. Default 60 s. */
  readonly waitMs?: number
  readonly runtime?: Pick<Runtime, 'now' | 'sleep'>
}

/** First delay between two attempts, doubled up to 64 ms. */
const PAUSE_MS = 4

/**
 * Runs `work` while holding a lock on the path across processes. The lock is a file beside the path,
 * renewed during the work.
 * @throws Error if the lock is not acquired in time
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const { staleMs = 30_000, runtime = createSystemRuntime() } = options
  const lock = join(dirname(path), temporaryName(`lock-${digestOf(basename(path))}`))
  await acquire(lock, { ...options, staleMs, runtime })
  const done = new AbortController()
  const renewed = renew(lock, { everyMs: staleMs / 3, runtime, signal: done.signal })
  try {
    return await work()
  } finally {
    done.abort()
    await renewed
    await rm(lock, { force: true })
  }
}

async function acquire(
  lock: string,
  {
    staleMs,
    waitMs = 60_000,
    runtime,
  }: FileLockOptions & Required<Pick<FileLockOptions, 'staleMs' | 'runtime'>>,
): Promise<void> {
  const until = runtime.now().getTime() + waitMs
  for (let pause = PAUSE_MS; !(await take(lock)); pause = Math.min(pause * 2, 64)) {
    const now = runtime.now().getTime()
    if (await isStale(lock, now - staleMs)) await rm(lock, { force: true })
    else if (now >= until) throw new Error('The file is locked by another process')
    else await runtime.sleep(pause)
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function isStale(lock: string, oldest: number): Promise<boolean> {
  try {
    return (await stat(lock)).mtimeMs < oldest
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

async function renew(
  lock: string,
  {
    everyMs,
    runtime,
    signal,
  }: { everyMs: number; runtime: Pick<Runtime, 'now' | 'sleep'>; signal: AbortSignal },
): Promise<void> {
  try {
    for (;;) {
      await runtime.sleep(everyMs, signal)
      const now = runtime.now()
      await utimes(lock, now, now)
    }
  } catch {
    // The work is over, or the folder was removed meanwhile.
  }
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32)
}
