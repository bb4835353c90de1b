import { createMemoryJobStore } from '@x/flow-engine/memory'
import type { JobStore } from '@x/flow-engine/store'
import type { AuditStore } from '../store/audit.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { FlowStore } from '../store/flow-store.ts'
import { createMemoryAuditStore } from './audit.ts'
import { createMemoryBlobStore } from './blob-store.ts'
import { createMemoryFlowStore } from './flow-store.ts'

/** The option `storage` of `createFlowService`. */
export interface MemoryStorage {
  readonly flows: FlowStore
  readonly jobs: JobStore
  readonly files: BlobStore
  readonly audit: AuditStore
}

/** Everything in the memory of this process, for tests and trials. */
export function memoryStorage(): MemoryStorage {
  return {
    flows: createMemoryFlowStore(),
    jobs: createMemoryJobStore(),
    files: createMemoryBlobStore(),
    audit: createMemoryAuditStore(),
  }
}
