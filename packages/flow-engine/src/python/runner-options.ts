import { availableParallelism } from 'node:os'
import type { Runtime } from '@x/wire'
import type { UserTurns } from '../node/user-turns.ts'

/** Permissions and resource limits of Python components. */
export interface PythonRunnerOptions {
  /** Milliseconds that one call may take; 60,000. Reading a class has 5,000, or this if it is less. */
  readonly timeoutMs?: number
  /** MB of memory of one interpreter, 64 to 4,096; 512. */
  readonly memoryMb?: number
  /** Bytes of all values that one call gives; 16 MiB. */
  readonly maxOutputBytes?: number
  /** Bytes of all values that one call is given; 16 MiB. */
  readonly maxInputBytes?: number
  /** Interpreters at work at once; half the cores, at least 2, so that no user waits for the code of one other. */
  readonly maxInterpreters?: number
  /** Calls of one user at once; 1. Further 20 wait, one more is refused with status 429. */
  readonly maxPerUser?: number
  /** Interpreters kept ready; 1. With 0 each call waits for the start of one. */
  readonly warm?: number
  /** Makes the snapshot and the interpreters kept ready at once, not at the first call; false. */
  readonly eager?: boolean
  /** Places that other runners share (AB-76), in place of `maxInterpreters` and `maxPerUser`. */
  readonly turns?: UserTurns
  /** Milliseconds without a call after which those that are ready end; 300,000. */
  readonly idleMs?: number
  /** A guarded fetch for requests of components. Default: that of the run; without one, no network. */
  readonly fetch?: typeof fetch
  /** Source text of further Python modules, by the name they are imported by. */
  readonly modules?: Readonly<Record<string, string>>
  /** Folder of wheels of pure Python; read once. */
  readonly wheels?: string
  /** Variables of the environment that components see besides `HOME`, `PATH`, `LANG`, `TMPDIR` and `TZ`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Folder for the snapshot of memory from which interpreters start (32 MB); default: none is kept. */
  readonly cacheDir?: string
  readonly runtime?: Runtime
}

const MB = 1024 * 1024

/** Numbers of the options by name: default, least and greatest value. */
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

/** @throws RangeError naming an option that is out of its range */
export function completeNumbers(options: PythonRunnerOptions): RunnerNumbers {
  const complete = Object.entries(NUMBERS).map(([name, [normal, least, greatest]]) => {
    const value = options[name as keyof RunnerNumbers] ?? normal
    if (!Number.isInteger(value) || value < least || value > greatest) {
      throw new RangeError(`${name} must be a whole number from ${least} to ${greatest}`)
    }
    return [name, value]
  })
  return Object.fromEntries(complete) as RunnerNumbers
}
