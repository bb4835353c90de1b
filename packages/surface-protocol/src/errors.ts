import type { SurfaceLimits } from './limits.ts'

/** The HTTP status each code stands for (SP-60); those of pure warnings are never sent. */
const statuses = {
  surface_not_found: 404,
  invalid_component_type: 422,
  invalid_property: 422,
  circular_reference: 422,
  malformed_json: 400,
  invalid_utf8: 400,
  truncated_line: 400,
  malformed_message: 400,
  unknown_key: 422,
  missing_field: 422,
  invalid_type: 422,
  invalid_value: 422,
  not_exactly_one: 422,
  unsupported_version: 422,
  missing_property: 422,
  invalid_property_value: 422,
  invalid_style: 422,
  invalid_path: 422,
  unknown_catalog: 422,
  no_common_catalog: 422,
  inline_catalog_refused: 422,
  invalid_catalog: 422,
  missing_root: 422,
  missing_child: 422,
  unreachable_component: 422,
  duplicate_id: 422,
  duplicate_key: 422,
  component_not_found: 404,
  not_actionable: 422,
  action_not_declared: 422,
  context_mismatch: 422,
  limit_exceeded: 413,
  begin_before_root: 422,
  misplaced_weight: 422,
  duplicate_child: 422,
  path_overwritten: 422,
  binding_type: 422,
  not_iterable: 422,
  compatible_path: 422,
  unsafe_url: 422,
  lossy_conversion: 422,
  resume_gap: 410,
  channel_closed: 409,
} as const

/** What can be wrong with a message, a stream or an operation (SP-60). */
export type SurfaceErrorCode = keyof typeof statuses

/** Every code of SP-60. */
export const surfaceErrorCodes: readonly SurfaceErrorCode[] = Object.freeze(
  Object.keys(statuses) as SurfaceErrorCode[],
)

/** One finding about a message (SP-60). An error refuses the message, a warning does not. */
export type SurfaceDiagnostic = {
  code: SurfaceErrorCode
  severity: 'error' | 'warning'
  /** One English sentence, at most 300 characters. */
  message: string
  /** JSON Pointer into the message, `""` for all of it. */
  path: string
  surfaceId?: string
  componentId?: string
  /** Line of the stream, from 1. */
  line?: number
  /** Byte offset of the line in the stream. */
  offset?: number
  /** Position in the list of messages, from 0. */
  index?: number
  /** What was probably meant. */
  hint?: string
  /** Ids that take part, for example those of a loop. */
  related?: string[]
  limit?: keyof SurfaceLimits | 'diagnostics'
}

const BRAND = Symbol.for('@x/surface-protocol/error')

/** What a SurfaceError is made of. */
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

/** The one error this package throws for input and for operations (SP-59). */
export class SurfaceError extends Error {
  readonly [BRAND] = true
  readonly code: SurfaceErrorCode
  /** HTTP-shaped number. */
  readonly status: number
  /** Safe to show to anybody. */
  readonly detail: string
  readonly diagnostics: readonly SurfaceDiagnostic[]
  readonly surfaceId?: string
  readonly componentId?: string
  readonly path?: string
  readonly line?: number
  readonly limit?: keyof SurfaceLimits | 'diagnostics'

  constructor(init: SurfaceErrorInit) {
    super(init.detail, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'SurfaceError'
    this.code = init.code
    this.status = init.status ?? statuses[init.code]
    this.detail = init.detail
    this.diagnostics = init.diagnostics ?? []
    if (init.surfaceId !== undefined) this.surfaceId = init.surfaceId
    if (init.componentId !== undefined) this.componentId = init.componentId
    if (init.path !== undefined) this.path = init.path
    if (init.line !== undefined) this.line = init.line
    if (init.limit !== undefined) this.limit = init.limit
  }
}

/** Tells a SurfaceError, also one of another copy of this package (SP-59). */
export function isSurfaceError(value: unknown): value is SurfaceError {
  return typeof value === 'object' && value !== null && BRAND in value
}

/** The error that stands for the first error among `diagnostics`. */
export function errorFrom(diagnostics: readonly SurfaceDiagnostic[]): SurfaceError {
  const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
  if (first === undefined)
    return new SurfaceError({ code: 'malformed_message', detail: 'Refused.' })
  return new SurfaceError({ ...first, detail: first.message, diagnostics })
}

/** Input as it may stand in a message: at most 80 characters, quoted, without control characters. */
export function quote(input: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters to take out
  const clean = input.slice(0, 81).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '?')
  if (clean.length <= 78) return `"${clean}"`
  return `"${clean.slice(0, 75).replace(/[\ud800-\udbff]$/, '')}..."`
}
