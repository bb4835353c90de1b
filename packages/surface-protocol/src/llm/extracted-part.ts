import type { SurfaceDiagnostic, SurfaceErrorCode } from '../diagnostics/errors.ts'

/** A piece of a model's response. */
export type ExtractedPart =
  | { kind: 'text'; text: string }
  /** Validated if catalogs are given; otherwise left to the store. `partial`: more of the message arrives. */
  | { kind: 'message'; message: unknown; repairs: string[]; truncated?: Truncation; partial?: true }
  | {
      kind: 'error'
      code: SurfaceErrorCode
      message: string
      raw: string
      /** Line of the first fault in the whole text, from 1; of a wrong message, where it begins. */
      line?: number
      /** Column, from 1. */
      column?: number
      /** Characters before it. */
      offset?: number
      /** The text around the fault, whose place is marked. */
      excerpt?: string
      /** The problems of a message. */
      diagnostics?: SurfaceDiagnostic[]
    }

/** The part that was cut off a truncated message. */
export interface Truncation {
  /** JSON Pointer to the deepest truncated value. */
  path: string
  /** The discarded text. */
  dropped: string
  /** Incomplete components, which are omitted. */
  components?: string[]
}
