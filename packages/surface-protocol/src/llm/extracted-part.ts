import type { SurfaceErrorCode } from '../diagnostics/errors.ts'

/** One piece of a model's answer (SP-83). */
export type ExtractedPart =
  | { kind: 'text'; text: string }
  /** Not validated: that is the store's work. */
  | { kind: 'message'; message: unknown; repairs: string[] }
  | { kind: 'error'; code: SurfaceErrorCode; message: string; raw: string }
