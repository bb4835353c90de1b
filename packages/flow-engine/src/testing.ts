export { createTestRuntime } from '@x/wire'
export { defineFlowStoreContract } from './contract/flow-store-spec.ts'
export { defineJobStoreContract } from './contract/job-store-spec.ts'
export type { ContractOptions, TestFrame } from './contract/test-frame.ts'
export {
  testComponent,
  type TestComponentOptions,
  type TestComponentResult,
} from './testing/test-component.ts'
export { collectEvents } from './testing/collect-events.ts'
export { flowBuilder, type AddOptions, type FlowBuilder } from './testing/flow-builder.ts'
