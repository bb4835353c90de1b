import { FlowError } from '../../../errors.ts'

/** Maximum characters that parts common to all documents take in them together. */
const MAX_REPEATED = 33_554_432

/**
 * Counts what all documents of a build have in common, such as the names of their fields (AB-29).
 * @param names the inputs that give these parts, for the error
 * @throws FlowError `limit_exceeded` from the returned function, if they take too much
 */
export function createRepetition(names: string, parts: unknown): (documents: number) => void {
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
