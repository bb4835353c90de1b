import { OptionError } from '@x/wire'

const SCIM_ERROR = Symbol.for('x.scim.error')
const CONFIG_ERROR = Symbol.for('x.scim.config-error')

/** The error types of RFC 7644 section 3.12 and RFC 9865 section 2.1. */
export type ScimType =
  | 'invalidSyntax'
  | 'invalidFilter'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'mutability'
  | 'tooMany'
  | 'uniqueness'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount'

interface Answer {
  readonly status: number
  readonly scimType?: ScimType
}

/** Status and scimType of every code. */
export const SCIM_ERRORS = {
  invalid_syntax: { status: 400, scimType: 'invalidSyntax' },
  invalid_filter: { status: 400, scimType: 'invalidFilter' },
  invalid_path: { status: 400, scimType: 'invalidPath' },
  no_target: { status: 400, scimType: 'noTarget' },
  invalid_value: { status: 400, scimType: 'invalidValue' },
  mutability: { status: 400, scimType: 'mutability' },
  too_many: { status: 400, scimType: 'tooMany' },
  invalid_cursor: { status: 400, scimType: 'invalidCursor' },
  expired_cursor: { status: 400, scimType: 'expiredCursor' },
  invalid_count: { status: 400, scimType: 'invalidCount' },
  uniqueness: { status: 409, scimType: 'uniqueness' },
  conflict: { status: 409 },
  bulk_conflict: { status: 409 },
  disabled: { status: 401 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  version_mismatch: { status: 412 },
  too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  too_many_requests: { status: 429 },
  internal: { status: 500 },
  not_implemented: { status: 501 },
  unavailable: { status: 503 },
} as const satisfies Record<string, Answer>

/** All error codes. */
export type ScimErrorCode = keyof typeof SCIM_ERRORS

/** An error with its response: status, scimType and a detail that is safe to show. */
export class ScimError extends Error {
  readonly [SCIM_ERROR] = true
  readonly code: ScimErrorCode
  readonly status: number
  readonly scimType?: ScimType
  /** One English sentence without secrets. */
  readonly detail: string

  constructor(code: ScimErrorCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'ScimError'
    this.code = code
    this.detail = detail
    const answer: Answer = SCIM_ERRORS[code]
    this.status = answer.status
    if (answer.scimType !== undefined) this.scimType = answer.scimType
  }
}

/** The host ended the request body with a status of its own. */
export class BodyStatusError extends ScimError {
  override readonly status: number

  constructor(status: number, phrase: string) {
    super(status === 413 ? 'too_large' : 'invalid_syntax', phrase)
    this.status = status
  }
}

/** An invalid filter: syntax, names, types or limits. */
export class InvalidFilterError extends ScimError {
  /** Index in the filter where parsing stopped; 0 for errors in names and types. */
  readonly position: number

  constructor(detail: string, position = 0) {
    super('invalid_filter', detail)
    this.name = 'InvalidFilterError'
    this.position = position
  }
}

/** An invalid option, thrown when a service is created. */
export class ScimConfigError extends OptionError {
  readonly [CONFIG_ERROR] = true

  /** @param option the invalid option or environment variable */
  constructor(option: string, message: string) {
    super(option, message, 'scim-options.md')
    this.name = 'ScimConfigError'
  }
}

/** Recognises a ScimError, even from another copy of this package. */
export function isScimError(value: unknown): value is ScimError {
  return typeof value === 'object' && value !== null && Reflect.get(value, SCIM_ERROR) === true
}

/** Recognises a ScimConfigError, even from another copy of this package. */
export function isScimConfigError(value: unknown): value is ScimConfigError {
  return typeof value === 'object' && value !== null && Reflect.get(value, CONFIG_ERROR) === true
}

/** 403, for hosts that veto a change. */
export function scimForbidden(detail: string): ScimError {
  return new ScimError('forbidden', detail)
}

/** 400 invalidValue. */
export function invalidValue(detail: string): ScimError {
  return new ScimError('invalid_value', detail)
}

/** 400 invalidSyntax. */
export function invalidSyntax(detail: string): ScimError {
  return new ScimError('invalid_syntax', detail)
}

/** 400 invalidPath. */
export function invalidPath(detail: string): ScimError {
  return new ScimError('invalid_path', detail)
}

/** 400 mutability. */
export function notMutable(name: string): ScimError {
  return new ScimError('mutability', `The attribute ${quoteValue(name)} cannot be changed.`)
}

/** 404 for a resource. */
export function notFound(type: string, id: string): ScimError {
  return new ScimError('not_found', `${type} ${quoteValue(id)} does not exist.`)
}

/** Formats a client's value for use in a detail: at most 100 characters, control characters as U+FFFD. */
export function quoteValue(value: string): string {
  const clean = value.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\u{FFFD}')
  return clean.length > 100 ? `${clean.slice(0, 100)}...` : clean
}

/** 429 with the time to wait. */
export class RateLimitError extends ScimError {
  /** Whole seconds. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super('too_many_requests', `Too many requests; try again in ${retryAfter} s.`)
    this.retryAfter = retryAfter
  }
}
