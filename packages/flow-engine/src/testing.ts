export { defineJobStoreContract, type JobStoreContractOptions } from './contract/job-store-spec.ts'
export type { ContractOptions, TestFrame } from './contract/test-frame.ts'
export { createCassette, type Cassette, type CassetteOptions } from './testing/cassette.ts'
export { collectEvents } from './testing/collect-events.ts'
export { defineComponentContract } from './testing/component-contract.ts'
export {
  evaluateFlow,
  type EvalExample,
  type EvaluateOptions,
  type Score,
  type Scorer,
} from './testing/evaluate-flow.ts'
export type { EvaluatedExample, EvaluatedScore } from './testing/evaluated-example.ts'
export type { Evaluation, EvaluationJson, ScoreChange, ScoreSummary } from './testing/evaluation.ts'
export { startFakeOpenAi, type FakeOpenAi } from './testing/fake-openai.ts'
export {
  flowBuilder,
  type AddOptions,
  type FlowBuilder,
  type FlowBuilderOptions,
} from './testing/flow-builder.ts'
export {
  contains,
  exactMatch,
  jsonMatch,
  judge,
  matches,
  type JudgeOptions,
} from './testing/scorers.ts'
export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedToolCall,
} from './testing/scripted-model.ts'
export type { TapeEntry, TapeJson } from './testing/tape.ts'
export {
  testComponent,
  type TestComponentOptions,
  type TestComponentResult,
} from './testing/test-component.ts'
export { createTestRuntime } from '@x/wire'
