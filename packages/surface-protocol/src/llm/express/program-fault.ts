import type { SurfaceErrorCode } from '../../diagnostics/errors.ts'

/** A fault of a program. */
export class ProgramFault extends Error {
  readonly code: SurfaceErrorCode
  readonly at: number
  readonly hint: string | undefined
  /** The name that is not defined. */
  readonly missing: string | undefined

  constructor(
    code: SurfaceErrorCode,
    detail: string,
    about: { at: number; hint?: string | undefined; missing?: string },
  ) {
    super(detail)
    this.code = code
    this.at = about.at
    this.hint = about.hint
    this.missing = about.missing
  }
}
