import { isUniqueConflict as isFlowConflict } from '@x/flow-engine/store'
import { UniqueConflictError } from '@x/scim-core'
import { DatabaseError } from '../engine/database-error.ts'
import { toFlowError } from '../flow/errors.ts'
import { toScimError } from '../scim/errors.ts'

/**
 * Runs the flow side of a SCIM write; its failures become errors of the SCIM store, which repeats a
 * transaction after a deadlock.
 */
export async function asScimErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isFlowConflict(error) && error.constraint === 'user.username')
      throw new UniqueConflictError('user.userName', { cause: error })
    throw toScimError(databaseErrorOf(error))
  }
}

/** Runs the SCIM side of a flow write; its failures become errors of the flow store. */
export async function asFlowErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toFlowError(databaseErrorOf(error))
  }
}

/** Both stores name the database's error as the cause of theirs. */
function databaseErrorOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof DatabaseError ? error.cause : error
}
