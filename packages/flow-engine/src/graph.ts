export { createSystemRuntime, type Runtime } from '@x/wire'
export type {
  Component,
  ComponentDefinition,
  ComponentFacts,
  ComponentTool,
} from './components/component.ts'
export type {
  ChildRunOptions,
  ChildRunResult,
  ComponentContext,
  InputSource,
} from './components/context.ts'
export { createNode, type CreateNodeOptions } from './components/create-node.ts'
export { defineComponent } from './components/define.ts'
export {
  field,
  type Field,
  type FieldOptions,
  type Fields,
  type Values,
} from './components/field.ts'
export type { NodeUpdate, RefreshContext } from './components/refresh-context.ts'
export { output, type OutputOptions, type Outputs } from './components/output.ts'
export { refreshNode, type NodeChange, type RefreshOptions } from './components/refresh-node.ts'
export {
  createRegistry,
  type ComponentRegistry,
  type RegistryOptions,
} from './components/registry.ts'
export type * from './components/services.ts'
export {
  FlowCompileError,
  FlowError,
  isFlowError,
  type FlowErrorCode,
  type FlowErrorOptions,
} from './errors.ts'
export {
  createResultCache,
  type CachedResult,
  type ResultCache,
  type ResultCacheOptions,
} from './graph/cache.ts'
export { checkFlow, compileFlow, type CompileOptions, type FlowPlan } from './graph/compile.ts'
export type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeDetails,
  NodeOutput,
  NodeTemplate,
  TemplateField,
} from './graph/flow-json.ts'
export {
  formatHandle,
  parseHandle,
  type Handle,
  type SourceHandle,
  type TargetHandle,
} from './graph/handles.ts'
export { defaultRunLimits, type RunLimits } from './graph/limits.ts'
export type { FlowProblem, FlowProblemCode } from './graph/problems.ts'
export type {
  ErrorMessageJson,
  LogJson,
  MessageJson,
  OutputJson,
  RunEvent,
  RunEventData,
  VertexBuildJson,
  VertexDataJson,
} from './graph/run-event.ts'
export type {
  FlowRun,
  RunInput,
  RunOptions,
  RunResult,
  Tweaks,
  VertexResult,
} from './graph/run-options.ts'
export {
  formatRunResponse,
  type ChatMessageJson,
  type ComponentOutputJson,
  type RunOutputJson,
  type RunResponse,
} from './graph/run-result.ts'
export { runFlow } from './graph/run.ts'
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
