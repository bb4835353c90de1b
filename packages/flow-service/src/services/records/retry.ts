import { refuse } from '../../refusal.ts'
import { isUniqueConflict, type UniqueConstraint } from '@x/flow-engine/store'

/** Sufficient for any realistic number of concurrent writers of one name. */
const ATTEMPTS = 100

/**
 * Repeats `work` if another writer has taken a name meanwhile. Work that numbers names sees the new state on
 * the next attempt.
 */
export async function retryTaken<T>(
  constraints: readonly UniqueConstraint[],
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const taken = isUniqueConflict(error) && constraints.includes(error.constraint)
      if (!taken || attempt === ATTEMPTS) throw error
    }
  }
}

/** @throws Refusal 400 with this message if the name is taken */
export async function refuseTaken<T>(
  constraint: UniqueConstraint,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueConflict(error) && error.constraint === constraint) throw refuse(400, text)
    throw error
  }
}
