import { createMemoryScimStore } from '@x/scim-core/memory'
import { defineOutboxStoreContract, defineScimStoreContract } from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'

const frame = { describe, it, beforeEach, afterEach }
const subject = { name: 'memory', create: () => createMemoryScimStore() }

defineScimStoreContract(frame, subject)
defineOutboxStoreContract(frame, subject)
