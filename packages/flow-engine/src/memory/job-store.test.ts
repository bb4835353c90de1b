import { afterEach, beforeEach, describe, it } from 'vitest'
import { defineJobStoreContract } from '../contract/job-store-spec.ts'
import { createMemoryJobStore } from './job-store.ts'

defineJobStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'memory', create: createMemoryJobStore },
)
