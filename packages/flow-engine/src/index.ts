export type {
  Component,
  ComponentDefinition,
  ComponentMetadata,
  ComponentTool,
} from './components/define/component.ts'
export type {
  ChildRunOptions,
  ChildRunResult,
  ComponentContext,
  InputSource,
} from './components/define/context.ts'
export { defineComponent, isComponent } from './components/define/define.ts'
export {
  field,
  type AnyFieldOptions,
  type Field,
  type FieldOptions,
  type Fields,
  type ProviderKey,
  type SortableOption,
  type Values,
} from './components/define/field.ts'
export {
  output,
  type Output,
  type OutputDefinition,
  type OutputOptions,
  type Outputs,
  type TypedOutput,
} from './components/define/output.ts'
export { isModelChoice, type PickedModel } from './components/define/picked-model.ts'
export type { NodeUpdate, RefreshContext } from './components/define/refresh-context.ts'
export type { RetryOptions, RetryPolicy } from './components/define/retry-policy.ts'
export type {
  ComponentServices,
  MessageService,
  MessageQuery,
  MessageRecord,
  ModelProviders,
  ModelSpec,
  FileScope,
  FileService,
  FileReference,
  McpService,
  RunChildFlow,
  FlowService,
  McpTool,
  McpResult,
  McpClient,
  SqlConnections,
  SqlConnection,
  FinanceSource,
  JsonQueries,
  WorkCaller,
  DocumentReader,
  VectorRow,
  VectorStores,
  VectorStore,
  DistinctRows,
  NearestOptions,
  NearestRow,
  KnowledgeService,
  KnowledgeBase,
  MemoryBases,
  MemoryBaseStore,
  CodeLanguage,
  CodeLoadOptions,
  CodeRunner,
} from './components/define/services.ts'
export type { RedisConnection, RedisLists, RedisPlace } from './components/define/redis-lists.ts'
export type { VariableLookup } from './components/define/variable-lookup.ts'
export type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
  StandardSchema,
  SuspendOptions,
} from './components/define/suspend-options.ts'
export { createCodeRunners } from './components/node/code-runners.ts'
export { createNode, type CreateNodeOptions } from './components/node/create-node.ts'
export { variable, type FlowVariable } from './components/node/flow-variable.ts'
export {
  refreshNode,
  type NodeChange,
  type RefreshOptions,
} from './components/node/refresh-node.ts'
export {
  createRegistry,
  type ComponentRegistry,
  type RegistryOptions,
} from './components/registry/registry.ts'
export {
  errorText,
  FatalError,
  FlowError,
  InvalidAnswerError,
  isFlowError,
  type FlowErrorCode,
  FlowCompileError,
  isSuspendedError,
  SuspendedError,
  type FlowErrorOptions,
} from './errors.ts'
export {
  createResultCache,
  type CachedResult,
  type ResultCache,
  type ResultCacheOptions,
} from './graph/context/cache.ts'
export type {
  Around,
  CallEnd,
  CallInfo,
  HookContent,
  RunEnd,
  RunHooks,
  RunInfo,
  VertexEnd,
  VertexInfo,
} from './graph/context/run-hooks.ts'
export { pricesFromJson, type Price, type Prices } from './graph/context/prices.ts'
export type { CountTokens } from './graph/context/estimate-input.ts'
export type { BudgetDetails, BudgetUnit, RunBudget, Spent } from './graph/plan/run-budget.ts'
export type {
  FlowRun,
  NamedInputs,
  RunInput,
  RunOptions,
  RunResult,
  Tweaks,
  VertexResult,
} from './graph/context/run-options.ts'
export { createFlow } from './graph/draft/create-flow.ts'
export type {
  FlowDraft,
  FlowOptions,
  InputRef,
  InputValues,
  JsonNodeRef,
  LoopRef,
  NodeOptions,
  NodeRef,
  OutputRef,
  ToolNodeRef,
} from './graph/draft/flow-draft.ts'
export type { FieldLayout, FlowLayout, LayoutPatch, NodeLayout } from './graph/draft/flow-layout.ts'
export type { ToolEdit } from './components/tools/tool-metadata.ts'
export type {
  ErrorMessageJson,
  LogJson,
  OutputJson,
  RunEvent,
  RunEventData,
  SuspendedJson,
  VertexBuildJson,
  VertexDataJson,
} from './graph/events/run-event.ts'
export { diffFlows, type FieldDiff, type FlowDiff, type NodeDiff } from './graph/flow/diff-flows.ts'
export {
  formatHandle,
  parseHandle,
  type Handle,
  type SourceHandle,
  type TargetHandle,
} from './graph/flow/handles.ts'
export type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeDetails,
  NodeOutput,
  NodeTemplate,
  TemplateField,
} from './graph/flow/node-json.ts'
export type {
  FlowInputs,
  FlowOutputs,
  FlowShape,
  FlowTweaks,
  FlowVariables,
  NodeShape,
  TypedFlow,
} from './graph/flow/typed-flow.ts'
export type { FlowProblem, FlowProblemCode } from './graph/flow/problems.ts'
export {
  compileFlow,
  type CompileOptions,
  type DraftCompileOptions,
  type FlowPlan,
} from './graph/plan/compile.ts'
export { defaultRunLimits, type RunLimits } from './graph/plan/limits.ts'
export {
  formatRunResponse,
  type ChatMessageJson,
  type ComponentOutputJson,
  type RunOutputJson,
  type RunResponse,
} from './graph/results/format-response.ts'
export { checkFlow, type CheckOptions, type DraftCheckOptions } from './graph/vertex/check-flow.ts'
export { runFlow } from './graph/run/run-flow.ts'
export type { TypedResult, TypedRun } from './graph/run/typed-run.ts'
export { toData, toDataFrame, toMessage, toText } from './graph/values/convert.ts'
export { createDataFrame, isDataFrame, type DataFrame } from './graph/values/data-frame.ts'
export { createData, isData, type Data } from './graph/values/data.ts'
export { formatValue, type JsonValue } from './graph/values/format-value.ts'
export type { MessageJson } from './graph/values/message-json.ts'
export { createMessage, isMessage, type Message, type MessageInit } from './graph/values/message.ts'
export type { BuildJobsOptions } from './jobs/build-jobs-options.ts'
export type {
  BuildJobs,
  ForkOptions,
  JobRecord,
  PendingQuestion,
  VertexHistory,
  Poll,
  PollOptions,
  ScheduleEntry,
  ScheduleRecord,
} from './jobs/build-jobs.ts'
export type { BuildRequest, StartRequest } from './jobs/build-request.ts'
export { createBuildJobs } from './jobs/create-build-jobs.ts'
export { createLateStore } from './jobs/late-store.ts'
export type { JobStoring } from './jobs/build-jobs-options.ts'
export {
  fromElicitation,
  toElicitation,
  type ElicitationResult,
  type ElicitationSchema,
  type ElicitedQuestion,
  type Elicitation,
} from './jobs/elicitation.ts'
export type { JobSecretBox } from './jobs/job-seal.ts'
export type {
  ChatChunk,
  ChatMessage,
  ChatModel,
  ChatRequest,
  Embedder,
  TokenUsage,
  Tool,
  ToolCall,
  ToolSpec,
} from './models/chat-model.ts'
export { createSystemRuntime, type Runtime } from '@x/wire'
