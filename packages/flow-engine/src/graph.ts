export { createSystemRuntime, type Runtime } from '@x/wire'
export type {
  Component,
  ComponentDefinition,
  ComponentFacts,
  ComponentTool,
} from './components/define/component.ts'
export type {
  ChildRunOptions,
  ChildRunResult,
  ComponentContext,
  InputSource,
} from './components/define/context.ts'
export { createNode, type CreateNodeOptions } from './components/node/create-node.ts'
export { defineComponent } from './components/define/define.ts'
export {
  field,
  type Field,
  type FieldOptions,
  type Fields,
  type Values,
} from './components/define/field.ts'
export type { NodeUpdate, RefreshContext } from './components/define/refresh-context.ts'
export type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
  StandardSchema,
  SuspendOptions,
} from './components/define/suspend-options.ts'
export type { RetryOptions, RetryPolicy } from './components/define/retry-policy.ts'
export { output, type OutputOptions, type Outputs } from './components/define/output.ts'
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
export type * from './components/define/services.ts'
export {
  FlowCompileError,
  FatalError,
  FlowError,
  InvalidAnswerError,
  isFlowError,
  isSuspendedError,
  SuspendedError,
  type FlowErrorCode,
  type FlowErrorOptions,
} from './errors.ts'
export {
  createResultCache,
  type CachedResult,
  type ResultCache,
  type ResultCacheOptions,
} from './graph/context/cache.ts'
export {
  checkFlow,
  compileFlow,
  type CompileOptions,
  type DraftCompileOptions,
  type FlowPlan,
} from './graph/plan/compile.ts'
export type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeDetails,
  NodeOutput,
  NodeTemplate,
  TemplateField,
} from './graph/flow/flow-json.ts'
export {
  formatHandle,
  parseHandle,
  type Handle,
  type SourceHandle,
  type TargetHandle,
} from './graph/flow/handles.ts'
export { createFlow } from './graph/draft/create-flow.ts'
export type {
  FlowDraft,
  InputRef,
  InputValues,
  LoopRef,
  NodeOptions,
  NodeRef,
  OutputRef,
  ToolNodeRef,
} from './graph/draft/flow-draft.ts'
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
export { diffFlows, type FieldDiff, type FlowDiff, type NodeDiff } from './graph/flow/diff-flows.ts'
export { defaultRunLimits, type RunLimits } from './graph/plan/limits.ts'
export type { FlowProblem, FlowProblemCode } from './graph/flow/problems.ts'
export type {
  ErrorMessageJson,
  LogJson,
  MessageJson,
  OutputJson,
  RunEvent,
  RunEventData,
  SuspendedJson,
  VertexBuildJson,
  VertexDataJson,
} from './graph/events/run-event.ts'
export type {
  FlowRun,
  NamedInputs,
  RunInput,
  RunOptions,
  RunResult,
  Tweaks,
  VertexResult,
} from './graph/context/run-options.ts'
export {
  formatRunResponse,
  type ChatMessageJson,
  type ComponentOutputJson,
  type RunOutputJson,
  type RunResponse,
} from './graph/results/format-response.ts'
export { runFlow } from './graph/run/run.ts'
export { toData, toDataFrame, toMessage, toText } from './graph/values/convert.ts'
export { createData, isData, type Data } from './graph/values/data.ts'
export { createDataFrame, isDataFrame, type DataFrame } from './graph/values/data-frame.ts'
export { formatValue, type JsonValue } from './graph/values/format-value.ts'
export { createMessage, isMessage, type Message, type MessageInit } from './graph/values/message.ts'
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
