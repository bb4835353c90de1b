export { createTestRuntime, type TestRuntime } from '@x/wire'
export { createScimClient, type ScimClient, type ScimAnswer } from './testing/client.ts'
export { defineScimStoreContract } from './contract/define.ts'
export { type ScimStoreSubject, type StoreSubject, type TestFunctions } from './contract/fixture.ts'
export { defineOutboxStoreContract, type OutboxSubject } from './contract/outbox-spec.ts'
export { defineConnectionStoreContract } from './contract/connections-spec.ts'
export { defineTokenStoreContract } from './contract/tokens-spec.ts'
export { defineResourceStoreContract } from './contract/resources-spec.ts'
export {
  defineStoreHookContract,
  type HookRows,
  type StoreHooks,
  type StoreHookSubject,
} from './testing/hook-contract.ts'
