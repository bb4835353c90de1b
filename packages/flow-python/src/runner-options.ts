import { availableParallelism } from 'node:os'
import type { Runtime } from '@x/wire'
import type { UserQueue } from '@x/flow-engine/node'

/** Permissions and resource limits for Python components. */
export interface PythonRunnerOptions {
  /**
   * Time limit of one call in milliseconds. Default 60,000. Reading a class is limited to 5,000, or this if
   * less.
   */
  readonly timeoutMs?: number
  /** Memory limit of one interpreter in MB, from 64 to 4,096. Default 512. */
  readonly memoryMb?: number
  /** Total size in bytes of the values returned by one call. Default 16 MiB. */
  readonly maxOutputBytes?: number
  /** Total size in bytes of the values passed to one call. Default 16 MiB. */
  readonly maxInputBytes?: number
  /**
   * Interpreters running at once. Default half the cores, at least 2, so that one user's code cannot block
   * everyone.
   */
  readonly maxInterpreters?: number
  /**
   * Concurrent calls of one user. Default 1. Another 20 can wait; beyond that, calls fail with status 429.
   */
  readonly maxPerUser?: number
  /** Interpreters kept ready. Default 1. With 0, each call waits for an interpreter to start. */
  readonly warm?: number
  /** Makes the snapshot and starts the ready interpreters now instead of at the first call. Default false. */
  readonly eager?: boolean
  /** A queue shared with other runners. Replaces `maxInterpreters` and `maxPerUser`. */
  readonly queue?: UserQueue
  /** Milliseconds without a call after which the ready interpreters end. Default 300,000. */
  readonly idleMs?: number
  /** A guarded fetch for requests of components. Default: the fetch of the run; without one, no network. */
  readonly fetch?: typeof fetch
  /** Source of additional Python modules, by import name. */
  readonly modules?: Readonly<Record<string, string>>
  /** Folder of pure Python wheels, read once. Default: no wheels. */
  readonly wheels?: string
  /** Environment variables visible to components besides `HOME`, `PATH`, `LANG`, `TMPDIR` and `TZ`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Folder that caches the memory snapshot from which interpreters start (32 MB). Default: no cache. */
  readonly cacheDir?: string
  readonly runtime?: Runtime
}

const MB = 1024 * 1024

/** Numeric options: default, minimum and maximum. */
const NUMBERS = {
  timeoutMs: [60_000, 100, 24 * 60 * 60 * 1000],
  memoryMb: [512, 64, 4096],
  maxOutputBytes: [16 * MB, 1, 256 * MB],
  maxInputBytes: [16 * MB, 1, 256 * MB],
  maxInterpreters: [Math.max(2, Math.floor(availableParallelism() / 2)), 1, 1024],
  maxPerUser: [1, 1, 1024],
  warm: [1, 0, 64],
  idleMs: [300_000, 0, 24 * 60 * 60 * 1000],
} as const

export type RunnerNumbers = { readonly [K in keyof typeof NUMBERS]: number }

/** @throws RangeError that names the option out of range */
export function completeNumbers(options: PythonRunnerOptions): RunnerNumbers {
  const complete = Object.entries(NUMBERS).map(([name, [normal, least, greatest]]) => {
    const value = options[name as keyof RunnerNumbers] ?? normal
    if (!Number.isInteger(value) || value < least || value > greatest) {
      throw new RangeError(`${name} must be an integer from ${least} to ${greatest}`)
    }
    return [name, value]
  })
  return Object.fromEntries(complete) as RunnerNumbers
}
