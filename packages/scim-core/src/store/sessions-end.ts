import type { OnUserWrite, UserWrite } from './users.ts'

/** Somebody who must not be signed in any longer. */
export interface SessionsEnd {
  readonly tenant: string
  readonly userId: string
  /** `signal`: an identity provider has said so (`createSignalReceiver`). */
  readonly reason: 'deactivated' | 'deleted' | 'signal'
}

/**
 * Called inside the transaction of each write after which a person must not be signed in, before
 * `onUserWrite`; throwing rolls it back. `transaction` is the store's own handle of the transaction.
 */
export type OnSessionsEnd<Transaction> = (
  end: SessionsEnd,
  transaction: Transaction,
) => void | Promise<void>

/** The one hook of user writes of a store: first sessions end, then the host learns of the write. */
export function userHook<Transaction>({
  onSessionsEnd,
  onUserWrite,
}: {
  readonly onSessionsEnd?: OnSessionsEnd<Transaction> | undefined
  readonly onUserWrite?: OnUserWrite<Transaction> | undefined
}): OnUserWrite<Transaction> | undefined {
  if (onSessionsEnd === undefined) return onUserWrite
  return async (change, transaction) => {
    const reason = REASONS[change.kind]
    const user = change.before ?? change.after
    if (reason !== undefined && user !== null)
      await onSessionsEnd({ tenant: user.tenant, userId: user.id, reason }, transaction)
    await onUserWrite?.(change, transaction)
  }
}

const REASONS: Readonly<Partial<Record<UserWrite['kind'], SessionsEnd['reason']>>> = {
  deactivate: 'deactivated',
  tombstone: 'deleted',
  remove: 'deleted',
}
