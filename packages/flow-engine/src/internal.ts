// For the packages of this workspace, of the same version only: no promise of compatibility.
export { answerWithTools } from './components/built-in/models-and-agents/answer-with-tools.ts'
export { OLDER_CODE } from './components/built-in/flow-controls/conditional-router.ts'
export { writeMessage } from './components/built-in/models-and-agents/memory.ts'
export {
  type PromptSyntax,
  type PromptUpdate,
  promptVariables,
  updatePromptFields,
} from './components/built-in/models-and-agents/prompt-variables.ts'
export { listOllamaModels } from './components/built-in/models-and-agents/provider-models.ts'
export { oncePerBuild } from './components/built-in/once-per-build.ts'
export { DEFAULT_URL, refreshAnthropicModels } from './components/chat/anthropic-models.ts'
export { type ModelAccess, chosenEmbedder } from './components/chat/chosen-model.ts'
export { fileNotFound } from './components/chat/file-not-found.ts'
export {
  askModel,
  questionMessages,
  wholeAnswer,
  withSettings,
} from './components/chat/model-answer.ts'
export { pickedChatModel, pickerAddressFields } from './components/chat/picker-fields.ts'
export { plainBadRequests } from './components/chat/plain-bad-requests.ts'
export { providerSetting } from './components/chat/provider-setting.ts'
export { readSchemaFields } from './components/chat/structured-schema.ts'
export { type SharedBudget, withBudget } from './components/define/call-budget.ts'
export { reportedCall } from './components/define/call-reporter.ts'
export { isComponent } from './components/define/define.ts'
export type { AnyFieldOptions, ProviderKey, SortableOption } from './components/define/field.ts'
export type { Output } from './components/define/output.ts'
export { type PickedModel, isModelChoice, readPicked } from './components/define/picked-model.ts'
export { fieldToTemplate, kindOfTemplate } from './components/define/template.ts'
export { isVariableValue } from './components/define/variable-value.ts'
export { workCaller } from './components/define/work-caller.ts'
export {
  chosenInEditor,
  chosenOperation,
  showFieldsOf,
} from './components/node/chosen-operation.ts'
export { CODE_IS_OFF, codeComponent } from './components/node/code-component.ts'
export { languageOf } from './components/node/code-language.ts'
export { languagesOf } from './components/node/code-runners.ts'
export { switchToolMode, templateField } from './components/node/create-node.ts'
export { embeddedComponent } from './components/node/embedded-component.ts'
export { isFlowVariable } from './components/node/flow-variable.ts'
export { customComponent } from './components/node/custom-component.ts'
export { referenceType } from './components/node/reference-code.ts'
export { refreshDetails } from './components/node/refresh-node.ts'
export { updateFile } from './components/node/update-file.ts'
export {
  catalogueJson,
  codeHash,
  codeText,
  componentToNode,
  exportName,
} from './components/registry/catalogue.ts'
export { typeTable } from './components/registry/type-table.ts'
export { formatPlace } from './components/text/format-spec.ts'
export {
  type WorkCounter,
  type TemplatePart,
  fillTemplate,
  parseTemplate,
} from './components/text/format-template.ts'
export { linearPattern } from './components/text/linear-pattern.ts'
export { TEXT_COMPARISONS } from './components/text/text-comparisons.ts'
export { outputForModel } from './components/tools/component-tools.ts'
export { toolEdits, toolMetadataField, toolRow } from './components/tools/tool-metadata.ts'
export { formatCsvTable, parseCsvTable } from './components/values/csv-table.ts'
export { nameOfType } from './components/values/field-values.ts'
export { parseNumberText } from './components/values/number-text.ts'
export { checkCells } from './components/values/table-size.ts'
export { oddText } from './contract/odd-text.ts'
export {
  OutputMethodError,
  errorText,
  invalidRequest,
  limitExceeded,
  runErrorText,
} from './errors.ts'
export { costOf, loweredTo, needOf } from './graph/context/call-need.ts'
export type { KeptVertex } from './graph/context/cache.ts'
export type { BuildRecord } from './graph/context/run-host.ts'
export { exceeded, inUnit } from './graph/context/run-spending.ts'
export { readCheckpoint } from './graph/durable/checkpoint.ts'
export { decodeFrozen, encodeFrozen } from './graph/durable/frozen-text.ts'
export { missingNames } from './components/node/missing-names.ts'
export { offeredNames } from './components/node/offered-names.ts'
export { cutJson } from './graph/events/cut-json.ts'
export type { RunWarningJson } from './graph/events/run-warning.ts'
export { normalizeLineBreaks } from './graph/events/vertex-data.ts'
export { edgeEnds, edgeKey, namesOf as outputNames } from './graph/draft/apply-layout.ts'
export { type FlatNode, expandGroups } from './graph/flow/expand-groups.ts'
export {
  type NodeEntry,
  classOf,
  findGraph,
  isProblem,
  readEdge,
  readNode,
} from './graph/flow/flow-json.ts'
export { handlesFit } from './graph/flow/handles-fit.ts'
export { readHandle } from './graph/flow/handles.ts'
export { type PlainObject, own, ownObject, ownText, texts } from './graph/flow/plain-object.ts'
export { modelJsonTexts, readModelJson } from './graph/values/read-model-json.ts'
export { createRunMessages } from './graph/messages/memory-messages.ts'
export { orderedId } from './graph/messages/ordered-id.ts'
export { flowAsksPeople, planAsksPeople } from './graph/plan/asks-people.ts'
export { buildProblems, compilePartly, graphOf, unknownProblems } from './graph/plan/compile.ts'
export { completeLimits } from './graph/plan/limits.ts'
export { budgetOption, tighterBudget } from './graph/plan/run-budget.ts'
export { runOptionKinds } from './graph/plan/run-option-kinds.ts'
export { messageToRecord } from './graph/messages/message-record.ts'
export { readNodeCode } from './graph/plan/node-code.ts'
export type { PlanGraph, PlanVertex } from './graph/plan/plan-graph.ts'
export type { CodeAbility } from './graph/plan/resolve-node.ts'
export { sliceOf } from './graph/plan/slice.ts'
export { type FieldPlan, planFields } from './graph/vertex/field-plan.ts'
export { checkEachNode } from './graph/vertex/check-flow.ts'
export type { KnownVariables } from './graph/vertex/missing-settings.ts'
export { FinishedRun } from './graph/results/finished-run.ts'
export { RunEnding } from './graph/run/run-ending.ts'
export { startRun } from './graph/run/run.ts'
export { skippedVertices } from './graph/schedule/skipped-vertices.ts'
export { fromBase64, toBase64 } from './graph/values/base64.ts'
export { type ColumnMetadata, columnMetadata, columnText } from './graph/values/column-text.ts'
export { dataText, prettyJson, toMessageInTurns, toPlain } from './graph/values/convert.ts'
export { type Row, cellOf } from './graph/values/data-frame.ts'
export { toLiteralText } from './graph/values/literal-text.ts'
export { markdownTable } from './graph/values/markdown-table.ts'
export { messageToFields } from './graph/values/message-json.ts'
export { changeMessage, readText } from './graph/values/message.ts'
export { readMessage } from './graph/values/read-message.ts'
export { valueBytes, valueBytesSoon } from './graph/values/value-size.ts'
export { withoutCode } from './graph/vertex/vertex-info.ts'
export { pauseTimeLimit } from './graph/vertex/vertex-time-limit.ts'
export type { JobObserver } from './jobs/build-jobs-options.ts'
export { JobEvent, decodeEvent } from './jobs/job-event.ts'
export type { QueueOptions } from './jobs/queue-capacity.ts'
export { LiveJob } from './jobs/live-job.ts'
export { pollEvents } from './jobs/poll-events.ts'
export { questionAfter } from './jobs/question-after.ts'
export { checkAnswer } from './jobs/stored-question.ts'
export { createRetention } from './jobs/retention.ts'
export { copy, copyOrNull, pair, patched, slice, triple } from './memory/rows.ts'
export { createMemoryVectorStore } from './memory/vector-store.ts'
export { serverSentEvents } from './models/event-lines.ts'
export { redact } from './models/model-error.ts'
export {
  anthropicModels,
  openAiChatModels,
  openAiReasoningModels,
  watsonxEndpoints,
  watsonxModels,
} from './models/model-names.ts'
export { findProvider } from './models/provider-table.ts'
export { findChatModel, findEmbedder, hostEmbeds, hostServesModels } from './models/providers.ts'
export { readAnswer } from './models/read-answer.ts'
export { becomesGet, headersAfter } from './outgoing/follow-redirects.ts'
export { createAddressRules, isAddress } from './outgoing/address-rules.ts'
export { createGuardedFetch as createPortableFetch } from './outgoing/guarded-fetch.ts'
export { modelAddress } from './outgoing/model-address.ts'
export { observedLike } from './outgoing/observed-fetch.ts'
export { outgoingFetch } from './outgoing/outgoing-fetch.ts'
export { Refusal, type ValidationElement, invalid, refuse } from './refusal.ts'
export type { PageParts } from './store/paging.ts'
