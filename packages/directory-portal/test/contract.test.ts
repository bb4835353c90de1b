import { afterEach, beforeEach, describe, it } from 'vitest'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createMemoryPortalStore } from '@x/directory-portal/memory'
import { definePortalStoreContract } from '@x/directory-portal/testing'

definePortalStoreContract(
  { describe, it, beforeEach, afterEach },
  {
    name: 'memory',
    create: () => createMemoryPortalStore({ directory: () => createMemoryScimStore() }),
  },
)
