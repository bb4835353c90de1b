import { defined } from '../json.ts'
import type { SurfaceLimits } from './limits.ts'

/** All error codes. */
export const surfaceErrorCodes = [
  'surface_not_found',
  'invalid_component_type',
  'invalid_property',
  'circular_reference',
  'malformed_json',
  'invalid_utf8',
  'truncated_line',
  'malformed_message',
  'unknown_key',
  'missing_field',
  'invalid_type',
  'invalid_value',
  'not_exactly_one',
  'unsupported_version',
  'missing_property',
  'invalid_property_value',
  'invalid_style',
  'invalid_path',
  'unknown_catalog',
  'no_common_catalog',
  'inline_catalog_refused',
  'invalid_catalog',
  'missing_root',
  'missing_child',
  'unreachable_component',
  'duplicate_id',
  'duplicate_key',
  'component_not_found',
  'not_actionable',
  'action_not_declared',
  'context_mismatch',
  'limit_exceeded',
  'begin_before_root',
  'misplaced_weight',
  'duplicate_child',
  'path_overwritten',
  'binding_type',
  'not_iterable',
  'compatible_path',
  'unsafe_url',
  'lossy_conversion',
  'resume_gap',
  'channel_closed',
  'too_slow',
  'missing_version',
  'surface_exists',
  'invalid_theme',
  'unknown_function',
  'invalid_argument',
  'invalid_expression',
  'function_failed',
  'path_conflict',
  'check_failed',
  'missing_catalog',
  'catalog_version_mismatch',
  'index_outside_template',
  'reserved_key',
  'invalid_identifier',
  'unallowed_parent',
  'unallowed_child',
  'call_not_found',
  'call_duplicate',
  'call_timeout',
  'call_cancelled',
  'call_failed',
  'truncated_block',
  'no_message',
  'malformed_program',
] as const

/** HTTP status of codes other than 422. */
const statuses: Partial<Record<SurfaceErrorCode, number>> = {
  surface_not_found: 404,
  malformed_json: 400,
  invalid_utf8: 400,
  truncated_line: 400,
  malformed_message: 400,
  malformed_program: 400,
  component_not_found: 404,
  limit_exceeded: 413,
  resume_gap: 410,
  channel_closed: 409,
  too_slow: 408,
  surface_exists: 409,
  call_not_found: 404,
  call_duplicate: 409,
  call_timeout: 504,
  call_cancelled: 499,
  call_failed: 502,
}

/** Codes for problems of a message, a stream or an operation. */
export type SurfaceErrorCode = (typeof surfaceErrorCodes)[number]

/** A finding about a message. Errors reject the message, warnings do not. */
export type SurfaceDiagnostic = {
  code: SurfaceErrorCode
  severity: 'error' | 'warning'
  /** One English sentence of at most 300 characters. */
  message: string
  /** JSON Pointer into the message; `""` for the whole message. */
  path: string
  surfaceId?: string
  componentId?: string
  /** Line of the stream, counted from 1. */
  line?: number
  /** Byte offset of the line in the stream. */
  offset?: number
  /** Index in the list of messages, from 0. */
  index?: number
  /** A suggested correction. */
  hint?: string
  /** Ids involved, for example those of a loop. */
  related?: string[]
  limit?: keyof SurfaceLimits | 'diagnostics'
}

const BRAND = Symbol.for('@x/surface-protocol/error')

/** The fields of a SurfaceError. */
export interface SurfaceErrorInit {
  readonly code: SurfaceErrorCode
  readonly detail: string
  /** Default: the status of the code. */
  readonly status?: number
  readonly diagnostics?: readonly SurfaceDiagnostic[]
  readonly surfaceId?: string | undefined
  readonly componentId?: string | undefined
  readonly path?: string | undefined
  readonly line?: number | undefined
  readonly limit?: SurfaceDiagnostic['limit']
  readonly cause?: unknown
}

/** The error thrown by this package for invalid input and failed operations. */
export class SurfaceError extends Error {
  readonly [BRAND] = true
  readonly code: SurfaceErrorCode
  /** HTTP status. */
  readonly status: number
  /** Safe to show to any user. */
  readonly detail: string
  readonly diagnostics: readonly SurfaceDiagnostic[]
  declare readonly surfaceId?: string
  declare readonly componentId?: string
  declare readonly path?: string
  declare readonly line?: number
  declare readonly limit?: keyof SurfaceLimits | 'diagnostics'

  constructor(init: SurfaceErrorInit) {
    super(init.detail, defined({ cause: init.cause }))
    this.name = 'SurfaceError'
    this.code = init.code
    this.status = init.status ?? statuses[init.code] ?? 422
    this.detail = init.detail
    this.diagnostics = init.diagnostics ?? []
    const { surfaceId, componentId, path, line, limit } = init
    Object.assign(this, defined({ surfaceId, componentId, path, line, limit }))
  }
}

/** Creates the error for an exceeded limit. */
export function limitError(
  limit: keyof SurfaceLimits,
  detail: string,
  about: Partial<SurfaceErrorInit> = {},
): SurfaceError {
  return new SurfaceError({ ...about, code: 'limit_exceeded', detail, limit })
}

/** Converts an error to a finding. */
export function diagnosticOf(error: SurfaceError): SurfaceDiagnostic {
  const { code, detail: message, path = '', surfaceId, componentId, line, limit } = error
  const about = defined({ surfaceId, componentId, line, limit })
  return { code, severity: 'error', message, path, ...about }
}

/** Recognises a SurfaceError, even from another copy of this package. */
export function isSurfaceError(value: unknown): value is SurfaceError {
  return typeof value === 'object' && value !== null && BRAND in value
}

/** Converts the first error among `diagnostics`. */
export function errorFrom(diagnostics: readonly SurfaceDiagnostic[]): SurfaceError {
  const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
  if (first === undefined)
    return new SurfaceError({ code: 'malformed_message', detail: 'Refused.' })
  return new SurfaceError({ ...first, detail: first.message, diagnostics })
}

/** Replaces control characters and line separators in a peer's text. */
export function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters to take out
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '?')
}

/** Quotes input for use in a message: at most 80 characters, without control characters. */
export function quote(input: string): string {
  const clean = withoutControls(input.slice(0, 81))
  if (clean.length <= 78) return `"${clean}"`
  return `"${clean.slice(0, 75).replace(/[\ud800-\udbff]$/, '')}..."`
}
