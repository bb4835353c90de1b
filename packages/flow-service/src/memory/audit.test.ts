import { afterEach, beforeEach, describe, it } from 'vitest'
import { defineAuditStoreContract } from '../contract/audit-spec.ts'
import { createMemoryAuditStore } from './audit.ts'

defineAuditStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'memory', create: () => createMemoryAuditStore() },
)
