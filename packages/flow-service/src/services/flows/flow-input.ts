import type { FlowRecord } from '../../store/flows.ts'

/** The data of a new flow. */
export type FlowInput = Omit<
  FlowRecord,
  'id' | 'userId' | 'webhookName' | 'createdAt' | 'updatedAt'
>

/** Changes to a flow; undefined leaves a field unchanged. */
export interface FlowChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** JSON text. */
  readonly data?: string | undefined
  readonly folderId?: string | undefined
  /** Null clears it. */
  readonly endpointName?: string | null | undefined
  readonly mcpEnabled?: boolean | undefined
  readonly locked?: boolean | undefined
  readonly actionName?: string | undefined
  readonly actionDescription?: string | undefined
  readonly accessType?: 'PRIVATE' | 'PUBLIC' | undefined
  readonly fsPath?: string | undefined
}
