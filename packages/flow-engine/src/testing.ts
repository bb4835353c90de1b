export { createTestRuntime } from '@x/wire'
export { defineAuditStoreContract } from './contract/audit-spec.ts'
export { defineFlowStoreContract } from './contract/flow-store-spec.ts'
export { defineJobStoreContract, type JobStoreContractOptions } from './contract/job-store-spec.ts'
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
export {
  evaluateFlow,
  type EvalExample,
  type EvaluateOptions,
  type Score,
  type Scorer,
} from './testing/evaluate-flow.ts'
export type { Evaluation, EvaluationJson, ScoreChange, ScoreSummary } from './testing/evaluation.ts'
export {
  contains,
  exactMatch,
  jsonMatch,
  judge,
  matches,
  type JudgeOptions,
} from './testing/scorers.ts'
export { createCassette, type Cassette, type CassetteOptions } from './testing/cassette.ts'
export type { TapeEntry, TapeJson } from './testing/tape.ts'
export type { EvaluatedExample, EvaluatedScore } from './testing/evaluated-example.ts'
