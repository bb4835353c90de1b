import type { SurfaceDiagnostic, SurfaceErrorCode } from '../diagnostics/errors.ts'

/** One piece of a model's answer (SP-83, SN-64). */
export type ExtractedPart =
  | { kind: 'text'; text: string }
  /** Validated when catalogs are given; otherwise that is the store's work. */
  | { kind: 'message'; message: unknown; repairs: string[]; truncated?: Truncation }
  | {
      kind: 'error'
      code: SurfaceErrorCode
      message: string
      raw: string
      /** The problems of a message. */
      diagnostics?: SurfaceDiagnostic[]
    }

/** The parts cut from a message whose text broke off (SN-65). */
export interface Truncation {
  /** JSON Pointer to the deepest place that was cut. */
  path: string
  /** The text that was thrown away. */
  dropped: string
  /** Components that were not whole and are left out. */
  components?: string[]
}
