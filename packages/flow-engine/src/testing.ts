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
export { defineComponentContract } from './testing/component-contract.ts'
export { startFakeOpenAi, type FakeOpenAi } from './testing/fake-openai.ts'
export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedToolCall,
} from './testing/scripted-model.ts'
