import { append } from '@x/wire'
import { quote, type SurfaceDiagnostic, type SurfaceErrorCode } from './errors.ts'
import { defined, formatPointer } from '../json.ts'
import { defaultLimits, type SurfaceLimits } from './limits.ts'
import { inDocumentOrder } from './document-order.ts'

/** Treatment of unknown parts of a message. */
export type Mode = 'strict' | 'tolerant'

/** Codes that are errors in strict mode and warnings in tolerant mode. */
const FORGIVABLE: ReadonlySet<SurfaceErrorCode> = new Set([
  'unknown_key',
  'invalid_component_type',
  'invalid_property',
  'missing_property',
  'invalid_property_value',
  'invalid_style',
  'invalid_theme',
  'unknown_function',
  'invalid_argument',
])

/** Maximum number of listed findings. */
const MAX_LISTED = 100
/** Findings collected before the first in message order are selected. */
const MAX_COLLECTED = 1000

/** The details of a finding, besides its code and sentence. */
export interface Finding {
  readonly severity?: 'error' | 'warning'
  /** An error even in tolerant mode. */
  readonly fatal?: boolean
  /** Segments below the current position. */
  readonly at?: readonly (string | number)[]
  readonly hint?: string | undefined
  readonly related?: string[] | undefined
  readonly limit?: SurfaceDiagnostic['limit'] | undefined
  readonly componentId?: string | undefined
  /** A pointer below the current position. */
  readonly pointer?: string
}

/** The position of a message in its stream or list. */
export interface MessagePosition {
  readonly line?: number | undefined
  readonly index?: number | undefined
  /** Treat duplicate ids and keys as errors in strict mode. */
  readonly strictDuplicates?: boolean
}

/**
 * Collects the findings of a message while it is read. `path` is the reader's position; pointers are only
 * built for findings.
 */
export class Report {
  readonly path: (string | number)[] = []
  readonly mode: Mode
  readonly limits: Readonly<SurfaceLimits>
  readonly diagnostics: SurfaceDiagnostic[] = []
  errors = 0
  /** The message being read; findings are listed in its order. */
  message: unknown = undefined
  surfaceId: string | undefined = undefined
  componentId: string | undefined = undefined
  /** Size copied so far. */
  size = 0
  /** Data entries read so far. */
  entries = 0
  /**
   * Number of enclosing calls: problems inside calls are listed only if everything else is valid.
   */
  calls = 0
  /** Set if continuing would exceed the limits. */
  aborted = false
  /** True once a bound value with both path and literal was found. */
  initialises = false
  readonly #position: MessagePosition
  #total = 0
  #errorsOutsideCalls = 0
  #inCalls: SurfaceDiagnostic[] | null = null

  constructor(
    mode: Mode = 'strict',
    limits: Readonly<SurfaceLimits> = defaultLimits,
    position: MessagePosition = {},
  ) {
    this.mode = mode
    this.limits = limits
    this.#position = position
  }

  /** True if further findings are only counted. */
  get isFull(): boolean {
    return this.#total > MAX_LISTED
  }

  /** True if no further finding can be listed. */
  get isSaturated(): boolean {
    return this.#total >= MAX_COLLECTED
  }

  /** Adds a finding at the current position. */
  add(code: SurfaceErrorCode, message: string, finding: Finding = {}): void {
    const severity = finding.severity ?? this.#severity(code, finding.fatal === true)
    const isError = severity === 'error'
    if (isError) this.errors += 1
    const list = this.calls > 0 ? (this.#inCalls ??= []) : this.diagnostics
    if (list === this.diagnostics) {
      if (isError) this.#errorsOutsideCalls += 1
      this.#total += 1
      if (this.#total > MAX_COLLECTED) return
    } else if (list.length >= MAX_COLLECTED) return
    const { at = [], hint, related, limit, pointer = '' } = finding
    const { surfaceId } = this
    const componentId = finding.componentId ?? this.componentId
    const { line, index } = this.#position
    list.push({
      code,
      severity,
      message: message.length > 300 ? `${message.slice(0, 297)}...` : message,
      path: formatPointer([...this.path, ...at]) + pointer,
      ...defined({ surfaceId, componentId, line, index, hint, related, limit }),
    })
  }

  /** Reports the expected value at the current position: `an object`, `a string`. */
  must(code: SurfaceErrorCode, what: string, finding?: Finding): void {
    this.add(code, `This must be ${what}.`, finding)
  }

  /** Reports an unknown member; the hint is the most similar name. */
  unknown(code: 'unknown_key' | 'invalid_property', name: string, finding?: Finding): void {
    this.add(code, `There is no member ${quote(name)} here.`, { ...finding, at: [name] })
  }

  /** Reports a missing member. */
  missing(code: 'missing_field' | 'missing_property', name: string, finding?: Finding): void {
    this.add(code, `The member ${quote(name)} is required.`, { ...finding, at: [name] })
  }

  /** Adds a warning at the current position. */
  warn(code: SurfaceErrorCode, message: string, finding: Finding = {}): void {
    this.add(code, message, { ...finding, severity: 'warning' })
  }

  /** Reports a duplicate: a warning, or an error in a validated sequence. */
  duplicate(code: 'duplicate_id' | 'duplicate_key', message: string, finding: Finding = {}): void {
    const strict = this.#position.strictDuplicates === true && this.mode === 'strict'
    this.add(code, message, { ...finding, severity: strict ? 'error' : 'warning' })
  }

  /** Reports an exceeded limit. */
  exceeds(limit: keyof SurfaceLimits, finding: Finding = {}): void {
    this.add('limit_exceeded', `The limit ${limit} of ${this.limits[limit]} is exceeded.`, {
      ...finding,
      limit,
    })
  }

  /** Adopts a catalog's finding, whose path is relative to the current position. */
  adopt(found: SurfaceDiagnostic): void {
    const { code, message, hint, related, limit, path: pointer } = found
    const severity = found.severity === 'warning' ? 'warning' : this.#severity(code, false)
    this.add(code, message, { severity, hint, related, limit, pointer })
  }

  /** The first findings in message order, followed by one that counts the omitted ones. */
  finish(): SurfaceDiagnostic[] {
    const { diagnostics, message } = this
    const inCalls = this.#inCalls
    if (inCalls === null && diagnostics.length === 0) return diagnostics
    this.#inCalls = null
    if (inCalls !== null && this.#errorsOutsideCalls === 0) {
      append(diagnostics, inCalls)
      this.#total += inCalls.length
    }
    if (diagnostics.length > 1 && message !== undefined) {
      append(diagnostics, inDocumentOrder(diagnostics.splice(0), message))
    }
    if (this.isFull) {
      this.#total = 0
      diagnostics.length = MAX_LISTED
      this.path.length = 0
      this.componentId = undefined
      this.add('limit_exceeded', `Only the first ${MAX_LISTED} problems are listed.`, {
        severity: this.errors > 0 ? 'error' : 'warning',
        limit: 'diagnostics',
      })
    }
    return diagnostics
  }

  #severity(code: SurfaceErrorCode, fatal: boolean): 'error' | 'warning' {
    return this.mode === 'tolerant' && !fatal && FORGIVABLE.has(code) ? 'warning' : 'error'
  }
}
