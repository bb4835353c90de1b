import type { KeyAgents } from '../../options.ts'
import type { Runtime } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import type { EmitFlowEvent } from '../../events.ts'
import type { FlowSettings } from '../../settings.ts'
import type { AuditStore } from '../../store/audit.ts'
import type { BlobStore } from '../../store/blob-store.ts'
import type { CollectionStore } from '../../store/collections.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowFiles } from '../../store/flow-files.ts'
import type { JobOwner } from './job-owner.ts'
import type { PasswordHasher } from '../crypto/passwords.ts'
import type { RecordWriter } from '../records/record-writer.ts'
import type { SecretBox } from '../crypto/secret-box.ts'
import type { Tokens } from '../crypto/tokens.ts'
import type { UserLimits } from '../limits/user-limits.ts'

/** Dependencies shared by all services. */
export interface ServiceDependencies {
  readonly store: FlowStore
  readonly files: BlobStore
  /** Chroma and FAISS collections; knowledge bases are in `store`. */
  readonly vectors: CollectionStore
  /** The components of flows. */
  readonly components: ComponentRegistry
  readonly runtime: Runtime
  readonly settings: FlowSettings
  readonly secrets: SecretBox
  readonly tokens: Tokens
  readonly passwords: PasswordHasher | undefined
  readonly flowFiles: FlowFiles | undefined
  /** Writes monitor records. */
  readonly records: RecordWriter
  /** Limits per user. */
  readonly userLimits: UserLimits
  readonly emit: EmitFlowEvent
  /** Undefined if audit records are not stored. */
  readonly audit: AuditStore | undefined
  /** Called with errors that are not returned to a caller. */
  readonly report: (error: unknown, info?: Readonly<Record<string, unknown>>) => void
  /** Undefined: API keys cannot be bound to agents. */
  readonly agents: KeyAgents | undefined
  /** Stops the builds of these flows or this user. */
  readonly cancelBuilds: (of: JobOwner) => Promise<void>
}
