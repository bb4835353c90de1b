import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

interface Process {
  readonly pid: number
}

/** What every rule asks for unless it notes another figure: the slowest answer of `/health`, in milliseconds. */
export const HEALTH = 200

/** The slowest answer of `/health` where a rule notes it. */
export const HEALTH_NOTED = 500

/** Milliseconds within which a small build or run of somebody else ends. */
export const OTHERS = 2_000

/**
 * Milliseconds on the clock within which a server answers on a busy machine, whoever has the processors:
 * many times what an idle one takes, and a fraction of what the attacks cost where they hold the event loop.
 */
export const IN_TIME = 5_000

/** The experience of an honest client while something else went on. */
export interface Beside<T> {
  readonly result: T
  /**
   * The slowest answer of `/health` in milliseconds, without the time in which other processes had the
   * processors, and divided by how many times slower than usual the processors are.
   */
  readonly slowest: number
  /** The slowest answer by the clock, in milliseconds. */
  readonly wall: number
  /** MiB by which the server grew at its highest. */
  readonly grown: number
}

interface Seen {
  readonly slowest: number
  readonly wall: number
  readonly highest: number
}

/** Runs an attack while an honest client, in a thread of its own, asks for `/health` and watches the memory. */
export async function besideHealth<T>(
  service: Process & { readonly url: string },
  attack: () => Promise<T>,
): Promise<Beside<T>> {
  const before = memoryOf(service)
  const { url, pid } = service
  const watcher = new Worker(new URL('watch-health.mjs', import.meta.url), {
    workerData: { url, pid },
  })
  const failed = once(watcher, 'error').then(([error]) => Promise.reject(error as Error))
  failed.catch(() => undefined)
  await Promise.race([once(watcher, 'message'), failed])
  const attacking = attack()
  const result = await Promise.race([attacking, failed]).finally(() =>
    watcher.postMessage('stop', []),
  )
  const [seen] = (await Promise.race([once(watcher, 'message'), failed])) as [Seen]
  const { slowest, wall, highest } = seen
  return { result, slowest, wall, grown: Math.max(highest - before, 0) }
}

/** MiB that the server occupies; 0 where the system does not say. */
export function memoryOf({ pid }: Process): number {
  try {
    const kib = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
    return Number(kib) / 1024
  } catch {
    return 0
  }
}

/**
 * Starts to measure what a server takes.
 * @returns milliseconds since then, without the time in which the main threads of the server and of this
 * test were ready and other processes had the processors
 */
export function stopwatch({ pid }: Process): () => number {
  const waited = (): number => scheduled(`${pid}/task/${pid}`)[1] + scheduled('thread-self')[1]
  const begun = performance.now()
  const before = waited()
  return () => performance.now() - begun - (waited() - before)
}

/** Milliseconds of processor time of all threads of a process; 0 where the system does not say. */
export function processorMs({ pid }: Process): number {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  return threads.reduce((sum, thread) => sum + scheduled(`${pid}/task/${thread}`)[0], 0)
}

/** Milliseconds that a thread ran, and that it waited for a processor; 0 where the system does not say. */
function scheduled(thread: string): readonly [ran: number, waited: number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${thread}/schedstat`, 'utf8')
      .split(' ')
      .map(Number)
    return [ran / 1e6, waited / 1e6]
  } catch {
    return [0, 0]
  }
}
