import { StoreUnavailableError, UniqueConflictError, type UniqueConstraint } from '@x/scim-core'
import { DatabaseError } from '../engine/database-error.ts'
import { asSchemaError, schemaFaultOf } from '../engine/schema-error.ts'
import { initial } from '../schema/migrations/scim/0001-initial.ts'
import { transactionEnded } from '../engine/transaction-ended.ts'

const isFirstTable = (table: string): boolean =>
  initial.statements('sqlite').some((text) => text.startsWith(`create table ${table} `))

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
  const fault = schemaFaultOf(error, 'migrateScim', isFirstTable)
  if (fault !== undefined)
    return asSchemaError(new StoreUnavailableError(fault.message, { cause: error }), fault)
  if (error.kind === 'other') return error
  const { message, retryable } = error
  return new StoreUnavailableError(message, { cause: error, retryable })
}

/** Kysely's own error for a transaction used after its end. */
function isEnded(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Transaction is already ')
}
