import {
  createMemoryConnectionStore,
  createMemoryResourceStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import {
  defineConnectionStoreContract,
  defineOutboxStoreContract,
  defineResourceStoreContract,
  defineScimStoreContract,
  defineTokenStoreContract,
} from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'

const frame = { describe, it, beforeEach, afterEach }
const subject = { name: 'memory', create: () => createMemoryScimStore() }

defineScimStoreContract(frame, subject)
defineOutboxStoreContract(frame, subject)
defineTokenStoreContract(frame, { name: 'memory', create: () => createMemoryTokenStore() })
defineConnectionStoreContract(frame, {
  name: 'memory',
  create: () => createMemoryConnectionStore(),
})
defineResourceStoreContract(frame, {
  name: 'memory, alone',
  create: () => createMemoryResourceStore(),
})
defineResourceStoreContract(frame, {
  name: 'memory',
  create: () => createMemoryScimStore().resources('Role'),
})
