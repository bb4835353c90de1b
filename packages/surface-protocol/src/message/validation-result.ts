import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'

/** The result of checking one message (SP-57). */
export type ValidationResult<T> = {
  /** A copy of the message; null when there is an error. */
  message: T | null
  diagnostics: SurfaceDiagnostic[]
}
