import { isBodyRefused, isBodyTooLarge } from '@x/wire'
import { BodyStatusError, isScimError, ScimError } from '../base/errors.ts'
import { isStoreUnavailable } from '../store/errors.ts'

/** Converts any thrown value to an error with a response; unknown errors become `internal`. */
export function toScimError(error: unknown): ScimError {
  if (isScimError(error)) return error
  if (isStoreUnavailable(error)) {
    return new ScimError('unavailable', 'The service is not available at the moment.', {
      cause: error,
    })
  }
  if (isBodyTooLarge(error)) {
    return new ScimError('too_large', `The body may have ${error.limit} bytes.`, { cause: error })
  }
  if (isBodyRefused(error)) return new BodyStatusError(error.status, error.message)
  return new ScimError('internal', 'Internal error', { cause: error })
}
