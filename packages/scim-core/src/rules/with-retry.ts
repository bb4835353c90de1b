import { ScimError } from '../base/errors.ts'
import { isStoreUnavailable } from '../store/errors.ts'
import type { Rules } from './call.ts'

/** Milliseconds before each retry of a transaction the store could not complete. */
const PAUSES = [5, 10, 20, 40, 80]

/** Thrown inside a transaction to retry it with fresh records. */
const CHANGED_MEANWHILE = new Error('The record was changed meanwhile')

/** Throws the error on which `withRetry` repeats the transaction, unless the compare-and-set succeeded. */
export function retryUnless(written: boolean): void {
  if (!written) throw CHANGED_MEANWHILE
}

/**
 * Retries a transaction up to 5 times: immediately if a record was changed meanwhile, and with growing
 * delays if the store reports a deadlock or a serialization failure.
 * @throws ScimError unavailable if every attempt fails
 */
export async function withRetry<T>({ config }: Rules, work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await work()
    } catch (error) {
      if (error === CHANGED_MEANWHILE) continue
      if (!isStoreUnavailable(error) || !error.retryable) throw error
      const [jitter = 0] = config.runtime.randomBytes(1)
      await config.runtime.sleep(pause * (1 + jitter / 510))
    }
  }
  try {
    return await work()
  } catch (error) {
    if (error !== CHANGED_MEANWHILE) throw error
    throw new ScimError('unavailable', 'The resource is being changed by others.')
  }
}
