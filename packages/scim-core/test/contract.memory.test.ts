import { createMemoryScimStore } from '@x/scim-core/memory'
import { defineScimStoreContract } from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'

defineScimStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'memory', create: () => createMemoryScimStore() },
)
