import { StoreUnavailableError, UniqueConflictError, type UniqueConstraint } from '@x/scim-core'
import { DatabaseError } from '../engine/database-error.ts'
import { transactionEnded } from '../engine/transaction-ended.ts'

const CONSTRAINTS = new Map<string, UniqueConstraint>([
  ['scim_user.user_name_key', 'user.userName'],
  ['scim_group.unique_key', 'group.displayName'],
])

/** Maps database errors to the errors of the storage interface. */
export function toScimError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return isEnded(error) ? transactionEnded() : error
  if (error.kind === 'unique') {
    const constraint = CONSTRAINTS.get(error.constraint ?? '')
    return constraint === undefined ? error : new UniqueConflictError(constraint, { cause: error })
  }
  if (error.kind === 'other') return error
  const { message, retryable } = error
  return new StoreUnavailableError(message, { cause: error, retryable })
}

/** Kysely's own error for a transaction used after its end. */
function isEnded(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Transaction is already ')
}
