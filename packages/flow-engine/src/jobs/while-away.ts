import { isConnectionLost } from '../store/store-error.ts'
import { retryUntilStored, type RetryUntilStoredOptions } from './retry-until-stored.ts'

/** How long a job waits for a database that is away. */
const MAX_AWAY_MS = 60_000

export interface WhileAwayOptions extends RetryUntilStoredOptions {
  /** Milliseconds. Default 60,000. */
  readonly patienceMs?: number
}

/**
 * Writes, and writes again while the connection to the store is lost and the job is still held here.
 * @param again default: the same write, if it is harmless to repeat one whose answer was lost
 * @throws the write's error
 */
export async function whileAway<Result>(
  write: () => Promise<Result>,
  { over, patienceMs = MAX_AWAY_MS, ...options }: WhileAwayOptions,
  again: () => Promise<Result> = write,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isConnectionLost(error) || over?.() === true) throw error
    const { runtime } = options
    const end = runtime.now().getTime() + patienceMs
    let isAway = true
    const repeat = async (): Promise<Result> => {
      try {
        return await again()
      } catch (failure) {
        isAway = isConnectionLost(failure)
        throw failure
      }
    }
    const isOver = (): boolean => !isAway || over?.() === true || runtime.now().getTime() > end
    return await retryUntilStored(repeat, { ...options, over: isOver })
  }
}
