import type { Runtime } from '@x/wire'
import type { EmitFlowEvent } from '../events.ts'
import type { FlowSettings } from '../settings.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { CollectionStore } from '../store/collections.ts'
import type { FlowStore } from '../store/flow-store.ts'
import type { FlowFiles } from './flow-files.ts'
import type { PasswordHasher } from './passwords.ts'
import type { RecordWriter } from './record-writer.ts'
import type { SecretBox } from './secrets.ts'
import type { Tokens } from './tokens.ts'

/** What services are made of. */
export interface ServiceKit {
  readonly store: FlowStore
  readonly files: BlobStore
  /** Where the collections of Chroma and FAISS lie; knowledge bases lie in `store`. */
  readonly vectors: CollectionStore
  readonly runtime: Runtime
  readonly settings: FlowSettings
  readonly secrets: SecretBox
  readonly tokens: Tokens
  readonly passwords: PasswordHasher | undefined
  readonly flowFiles: FlowFiles | undefined
  /** What runs leave for the monitor. */
  readonly records: RecordWriter
  readonly emit: EmitFlowEvent
  /** Called with errors that no caller sees. */
  readonly report: (error: unknown, info?: Readonly<Record<string, unknown>>) => void
  /** Tells the jobs, when there are any, to stop builds of these flows or of this user. */
  readonly cancelBuilds: (of: { flowIds?: readonly string[]; userId?: string }) => Promise<void>
}
