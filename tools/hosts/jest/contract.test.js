const { createMemoryScimStore } = require('@x/scim-core/memory')
const { defineScimStoreContract } = require('@x/scim-core/testing')

describe('HO-63 a store of the host is proved with Jest as with other runners', () => {
  defineScimStoreContract(
    { describe, it, beforeEach, afterEach },
    { name: 'my store', create: () => createMemoryScimStore() },
  )
})
