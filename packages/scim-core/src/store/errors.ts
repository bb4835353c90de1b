const UNIQUE = Symbol.for('x.scim.unique-conflict')
const UNAVAILABLE = Symbol.for('x.scim.store-unavailable')
const REENTRY = Symbol.for('x.scim.reentry')

/** The unique indexes of the storage interface. */
export type UniqueConstraint = 'user.userName' | 'group.displayName' | `resource.${string}`

/** Thrown by a store if a record violates a unique index. */
export class UniqueConflictError extends Error {
  readonly [UNIQUE] = true
  readonly constraint: UniqueConstraint

  constructor(constraint: UniqueConstraint, options?: ErrorOptions) {
    super(`Another record holds the value of ${constraint}`, options)
    this.name = 'UniqueConflictError'
    this.constraint = constraint
  }
}

/**
 * Thrown by a store that is temporarily unavailable; results in 503. If it is `retryable`,
 * the service first retries the transaction.
 */
export class StoreUnavailableError extends Error {
  readonly [UNAVAILABLE] = true
  /** The transaction may succeed if retried, as after a deadlock or a serialization failure. */
  readonly retryable: boolean

  constructor(
    message = 'The store cannot be reached',
    { retryable = false, ...options }: ErrorOptions & { readonly retryable?: boolean } = {},
  ) {
    super(message, options)
    this.name = 'StoreUnavailableError'
    this.retryable = retryable
  }
}

/**
 * A hook called the service, or the store outside the transaction that waits for the hook: the call would
 * wait for itself.
 */
export class ScimReentryError extends Error {
  readonly [REENTRY] = true
  readonly code = 'reentry'
  /** The method called: `users.list`, `transaction`, `handle`. */
  readonly method: string

  constructor(method: string) {
    super(
      `${method} was called inside a hook, on the store outside of its transaction. Use the store or the handle that the hook was given.`,
    )
    this.name = 'ScimReentryError'
    this.method = method
  }
}

/** Recognises a ScimReentryError, even from another copy of this package. */
export function isScimReentry(value: unknown): value is ScimReentryError {
  return isBranded(value, REENTRY)
}

/** Recognises a UniqueConflictError, even from another copy of this package. */
export function isUniqueConflict(value: unknown): value is UniqueConflictError {
  return isBranded(value, UNIQUE)
}

/** Recognises a StoreUnavailableError, even from another copy of this package. */
export function isStoreUnavailable(value: unknown): value is StoreUnavailableError {
  return isBranded(value, UNAVAILABLE)
}

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true
}
