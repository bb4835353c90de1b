import { defined, type JsonObject } from '../json.ts'

/** What the user is told while a model repeats its answer. */
export interface RecoveryEvent {
  /** That of the surface, which replaces this. */
  readonly messageId: string
  readonly status: 'building' | 'retrying' | 'failed'
  readonly attempt?: number
  readonly maxAttempts?: number
  readonly errors?: readonly object[]
  readonly attempts?: readonly object[]
  /** The sentence for the user. */
  readonly error?: string
}

/** An AG-UI activity that says how far the making of a surface is; operations with the same id replace it. */
export function toRecoveryEvent({ messageId, ...fields }: RecoveryEvent): JsonObject {
  const content: Readonly<Record<string, unknown>> = defined(fields)
  return {
    type: 'ACTIVITY_SNAPSHOT',
    messageId,
    activityType: 'a2ui-surface',
    content: content as JsonObject,
    replace: true,
  }
}
