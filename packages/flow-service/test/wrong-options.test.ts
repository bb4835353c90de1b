import { builtinComponents } from '@x/flow-components'
import { createFlowEngine } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { describe, expect, test } from 'vitest'

const valid = {
  store: createMemoryFlowStore(),
  files: createMemoryBlobStore(),
  secretKey: 'at least 32 characters of a secret',
}

describe('HO-21 a wrong option of a flow service', () => {
  test.each([
    [undefined, 'createFlowEngine: options are required (store, files, secretKey)'],
    [{ ...valid, store: undefined }, 'createFlowEngine: option "store" is required'],
    [
      { ...valid, store: { users: {} } },
      'createFlowEngine: option "store" must be a FlowStore: it has no method users.get',
    ],
    [
      { ...valid, settings: { maxFlowsPerUser: 'many' } },
      `createFlowEngine: option "settings.maxFlowsPerUser" must be an integer of at least 0, got 'many'`,
    ],
    [
      { ...valid, maxFlowsPerUser: 1 },
      'createFlowEngine: unknown option "maxFlowsPerUser". Did you mean "settings.maxFlowsPerUser"?',
    ],
    [
      { ...valid, settings: { basePath: 'flows' } },
      `createFlowEngine: option "settings.basePath" must begin with / and not end with /, got 'flows'; write '/flows'`,
    ],
    [
      { ...valid, secretKey: 'short' },
      'createFlowEngine: option "secretKey" must have at least 32 characters, got 5 characters',
    ],
    [
      { ...valid, components: builtinComponents },
      'createFlowEngine: option "components" must be a registry, got an array; write createRegistry(components)',
    ],
    [
      { ...valid, services: { message: {} } },
      'createFlowEngine: unknown option "services.message". Did you mean "services.messages"?',
    ],
    [
      { ...valid, openai: { maxRun: 1 } },
      'createFlowEngine: unknown option "openai.maxRun". Did you mean "openai.maxRuns"?',
    ],
    [{ ...valid, mcp: true }, 'createFlowEngine: option "mcp" must be false, got true'],
    [
      { ...valid, settings: { eventDelivery: 'stream' } },
      `createFlowEngine: option "settings.eventDelivery" must be 'streaming', 'polling' or 'direct', got 'stream'`,
    ],
    [{ ...valid, onError: 1 }, 'createFlowEngine: option "onError" must be a function, got 1'],
  ])('%#: %s', (given, message) => {
    const create = (): unknown => createFlowEngine(given as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(expect.objectContaining({ message, code: 'invalid_option' }))
  })

  test('HO-20 leaves services of the host alone', async () => {
    const services = { billing: {} } as never
    const engine = createFlowEngine({ ...valid, services })
    await expect(engine.close()).resolves.toBeUndefined()
  })
})
