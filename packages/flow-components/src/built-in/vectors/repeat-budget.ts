import { FlowError } from '@x/flow-engine'

/** Maximum total characters of parts that are repeated in every document. */
const MAX_REPEATED = 33_554_432

/**
 * Counts the characters of parts that are repeated in every document of a build, such as field names.
 * @param names the inputs that supply these parts, for the error
 * @throws FlowError `limit_exceeded` from the returned function, over the limit
 */
export function createRepeatBudget(names: string, parts: unknown): (documents: number) => void {
  const { length } = JSON.stringify(parts)
  let repeated = 0
  return (documents) => {
    repeated += documents * length
    if (repeated > MAX_REPEATED)
      throw new FlowError(
        'limit_exceeded',
        `${names} would take more than ${MAX_REPEATED} characters in all documents together`,
      )
  }
}
