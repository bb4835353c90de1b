import type { FlowRecord, ProjectRecord, StoredMessage } from '@x/flow-service/store'

/** A user of the other service. */
export interface SourceUser {
  readonly id: string
  readonly username: string
  /** A bcrypt hash; null if the source does not provide it. */
  readonly passwordHash: string | null
  readonly isActive: boolean
  readonly isSuperuser: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type SourceProject = Pick<
  ProjectRecord,
  'id' | 'userId' | 'name' | 'description' | 'parentId'
>

/** A flow, or a component saved as one. */
export interface SourceFlow extends Omit<
  FlowRecord,
  'webhookName' | 'accessType' | 'fsPath' | 'createdAt'
> {
  readonly isPublic: boolean
}

/** A variable; `value` is null if it cannot be read. */
export interface SourceVariable {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly type: string
  readonly value: string | null
  readonly defaultFields: readonly string[] | null
}

/** A chat message of a flow. */
export type SourceMessage = Omit<StoredMessage, 'userId' | 'duration'>

/** An API key; `key` is null if it cannot be read. */
export interface SourceApiKey {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  readonly key: string | null
  readonly isActive: boolean
  readonly createdAt: Date
}

/** A file of a user (listed by the service) or of a flow. */
export interface SourceFile {
  readonly owner: 'user' | 'flow'
  readonly ownerId: string
  /** The name it is stored under, below its owner. */
  readonly storedName: string
  /** Record of a user's file. */
  readonly listed: { readonly id: string; readonly name: string; readonly createdAt: Date } | null
  /** Null if the bytes no longer exist. */
  read(): Promise<Uint8Array | null>
}

/** Reads the other service's data, each kind page by page. */
export interface Source {
  users(): AsyncIterable<SourceUser>
  projects(): AsyncIterable<SourceProject>
  flows(): AsyncIterable<SourceFlow>
  variables(): AsyncIterable<SourceVariable>
  apiKeys(): AsyncIterable<SourceApiKey>
  files(): AsyncIterable<SourceFile>
  messages(): AsyncIterable<SourceMessage>
  close(): Promise<void>
}
