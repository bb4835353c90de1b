import type { ScimLimits } from '../base/limits.ts'
import type { Notes } from '../base/notes.ts'
import type { QuirkSwitches } from '../base/quirks.ts'

/** Options for reading values. */
export interface ReadContext {
  readonly quirks: QuirkSwitches
  readonly limits: ScimLimits
  /** Reject unknown attributes. */
  readonly rejectUnknown: boolean
  /** Reject passwords. */
  readonly rejectPassword?: boolean
  /** Collects what is not stored as sent. */
  readonly notes?: Notes
}
