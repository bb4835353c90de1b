import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'

/** The result of validating a message. */
export type ValidationResult<T> = {
  /** A copy of the message; null if there are errors. */
  message: T | null
  diagnostics: SurfaceDiagnostic[]
}
