import { quote, type SurfaceDiagnostic, type SurfaceErrorCode } from './errors.ts'
import { defined, formatPointer } from '../json.ts'
import { defaultLimits, type SurfaceLimits } from './limits.ts'
import { inDocumentOrder } from './document-order.ts'

/** The treatment of unknown parts of a message (SP-19). */
export type Mode = 'strict' | 'tolerant'

/** Codes that are errors in strict mode and warnings in tolerant mode (SP-19). */
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

/** Findings that are listed. */
const MAXIMUM = 100
/** Findings from which the first of the message are taken. */
const KEPT = 1000

/** The details of a finding, besides its code and sentence. */
export interface Finding {
  readonly severity?: 'error' | 'warning'
  /** An error in tolerant mode too. */
  readonly fatal?: boolean
  /** Segments below the current place. */
  readonly at?: readonly (string | number)[]
  readonly hint?: string | undefined
  readonly related?: string[] | undefined
  readonly limit?: SurfaceDiagnostic['limit'] | undefined
  readonly componentId?: string | undefined
  /** A pointer below the current place. */
  readonly pointer?: string
}

/** The position of a message in its stream or list. */
export interface MessagePosition {
  readonly line?: number | undefined
  readonly index?: number | undefined
  /** Duplicate ids and keys are errors in strict mode. */
  readonly strictDuplicates?: boolean
}

/**
 * Collects what is wrong with one message while it is read. `path` is the place of the reader;
 * pointers are built only when there is something to say.
 */
export class Report {
  readonly path: (string | number)[] = []
  readonly mode: Mode
  readonly limits: Readonly<SurfaceLimits>
  readonly diagnostics: SurfaceDiagnostic[] = []
  errors = 0
  /** The message that is read, in whose order the findings are listed. */
  message: unknown = undefined
  surfaceId: string | undefined = undefined
  componentId: string | undefined = undefined
  /** Size of what was copied so far (SP-89). */
  size = 0
  /** Data entries read so far. */
  entries = 0
  /** How deep in calls the reader is: what is wrong there is listed only when all else is right (SN-15). */
  calls = 0
  /** Set when reading on would cost more than the limits allow. */
  aborted = false
  /** True once a bound value with both path and literal was seen (SP-37). */
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
    return this.#total > MAXIMUM
  }

  /** True if no further finding can be among those listed. */
  get isSaturated(): boolean {
    return this.#total >= KEPT
  }

  /** Notes a finding at the current place. */
  add(code: SurfaceErrorCode, message: string, finding: Finding = {}): void {
    const severity = finding.severity ?? this.#severity(code, finding.fatal === true)
    const isError = severity === 'error'
    if (isError) this.errors += 1
    const list = this.calls > 0 ? (this.#inCalls ??= []) : this.diagnostics
    if (list === this.diagnostics) {
      if (isError) this.#errorsOutsideCalls += 1
      this.#total += 1
      if (this.#total > KEPT) return
    } else if (list.length >= KEPT) return
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

  /** Notes what should stand at the current place: `an object`, `a string`. */
  must(code: SurfaceErrorCode, what: string, finding?: Finding): void {
    this.add(code, `This must be ${what}.`, finding)
  }

  /** Notes a member that has no place here; a hint is the name that was probably meant. */
  unknown(code: 'unknown_key' | 'invalid_property', name: string, finding?: Finding): void {
    this.add(code, `There is no member ${quote(name)} here.`, { ...finding, at: [name] })
  }

  /** Notes a member that is not there. */
  missing(code: 'missing_field' | 'missing_property', name: string, finding?: Finding): void {
    this.add(code, `The member ${quote(name)} is required.`, { ...finding, at: [name] })
  }

  /** Notes a warning at the current place. */
  warn(code: SurfaceErrorCode, message: string, finding: Finding = {}): void {
    this.add(code, message, { ...finding, severity: 'warning' })
  }

  /** Notes that something was said twice: a warning, in a checked sequence an error (SP-58). */
  duplicate(code: 'duplicate_id' | 'duplicate_key', message: string, finding: Finding = {}): void {
    const strict = this.#position.strictDuplicates === true && this.mode === 'strict'
    this.add(code, message, { ...finding, severity: strict ? 'error' : 'warning' })
  }

  /** Notes that a limit would be passed. */
  exceeds(limit: keyof SurfaceLimits, finding: Finding = {}): void {
    this.add('limit_exceeded', `The limit ${limit} of ${this.limits[limit]} is exceeded.`, {
      ...finding,
      limit,
    })
  }

  /** Takes over a finding of a catalog, whose path begins at the current place. */
  adopt(found: SurfaceDiagnostic): void {
    const { code, message, hint, related, limit, path: pointer } = found
    const severity = found.severity === 'warning' ? 'warning' : this.#severity(code, false)
    this.add(code, message, { severity, hint, related, limit, pointer })
  }

  /** The first findings in the order of the message, with a last one that tells of those left out (SP-9). */
  finish(): SurfaceDiagnostic[] {
    const { diagnostics, message } = this
    const inCalls = this.#inCalls
    if (inCalls === null && diagnostics.length === 0) return diagnostics
    this.#inCalls = null
    if (inCalls !== null && this.#errorsOutsideCalls === 0) {
      diagnostics.push(...inCalls)
      this.#total += inCalls.length
    }
    if (diagnostics.length > 1 && message !== undefined) {
      diagnostics.splice(0, KEPT, ...inDocumentOrder(diagnostics, message))
    }
    if (this.isFull) {
      this.#total = 0
      diagnostics.length = MAXIMUM
      this.path.length = 0
      this.componentId = undefined
      this.add('limit_exceeded', `Only the first ${MAXIMUM} problems are listed.`, {
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
