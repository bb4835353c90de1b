import { FlowError } from '../../../errors.ts'

/** Maximum characters of a key that every document has. */
const MAX_KEY = 256
/** Maximum characters that metadata common to all documents take in them together. */
const MAX_REPEATED = 33_554_432

/**
 * Checks the name of a field that every document has.
 * @param field the name of the input, for the error
 * @throws TypeError if it is too long to be repeated (AB-29)
 */
export function checkKeyOfAll(field: string, key: string): void {
  if (key.length > MAX_KEY) throw new TypeError(`${field} has more than ${MAX_KEY} characters`)
}

/**
 * Counts the metadata that all documents of a build have in common.
 * @throws FlowError `limit_exceeded` from the returned function, if they take too much
 */
export function createRepetition(field: string, metadata: object): (documents: number) => void {
  const { length } = JSON.stringify(metadata)
  let repeated = 0
  return (documents) => {
    repeated += documents * length
    if (repeated > MAX_REPEATED)
      throw new FlowError(
        'limit_exceeded',
        `${field} takes more than ${MAX_REPEATED} characters in all documents together`,
      )
  }
}
