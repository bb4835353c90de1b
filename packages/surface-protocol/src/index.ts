export type { JsonObject, JsonValue } from './json.ts'
export { defaultLimits, type SurfaceLimits } from './diagnostics/limits.ts'
export type { DataEntry } from './message/v08/data-entry.ts'
export type { SurfaceWriter, SurfaceWriterOptions } from './build/surface-writer.ts'
export {
  isSurfaceError,
  SurfaceError,
  type SurfaceDiagnostic,
  type SurfaceErrorCode,
  type SurfaceErrorInit,
} from './diagnostics/errors.ts'
export type { Mode } from './diagnostics/report.ts'
export {
  beginRendering,
  dataModelUpdate,
  deleteSurface,
  surfaceUpdate,
  type BeginRendering,
  type ComponentInstance,
  type DataModelUpdate,
  type ServerMessage,
  type SurfaceUpdate,
} from './message/v08/messages.ts'
export {
  parseMessage,
  parseMessages,
  validateMessage,
  type ValidateMessageOptions,
} from './message/validate-message.ts'
export type { ValidationResult } from './message/validation-result.ts'
export type { Protocol, Version, VersionName } from './data/version.ts'
export type {
  ActionV09,
  ClientMessageV09,
  ComponentV09,
  ServerMessageV09,
} from './message/v09/messages-v09.ts'
export { basicCatalogIds } from './catalog/v09/basic-catalog-ids.ts'
export { basicCatalogV09, minimalCatalogV09 } from './catalog/v09/basic-catalog.ts'
export type { HostFunction } from './functions/evaluate.ts'
export {
  checkComponent,
  checkSurface,
  type CheckFailure,
  type CheckResult,
} from './store/checks.ts'
export {
  validateSubmission,
  type Submission,
  type ValidateSubmissionOptions,
} from './store/submission.ts'
export type { SurfaceViewV09, SurfaceViewV1 } from './store/view-v09.ts'
export { validateMessages, type ValidateMessagesOptions } from './store/validate-messages.ts'
export {
  checkUserAction,
  createUserAction,
  type CheckUserActionOptions,
  type CreateUserActionOptions,
} from './store/user-action.ts'
export type { UrlOptions } from './message/unsafe-urls.ts'
export { checkUrls } from './store/check-urls.ts'
export { formatMessage } from './message/format-message.ts'
export {
  formatClientError,
  parseClientMessage,
  type ClientMessage,
  type UserAction,
} from './message/v08/client-message.ts'
export { validateClientMessage } from './message/validate-client-message.ts'
export type { Catalog } from './catalog/catalog.ts'
export {
  MINIMAL_CATALOG_ID,
  minimalCatalogV08,
  STANDARD_CATALOG_ID,
  standardCatalogV08,
  type MinimalTypes,
  type StandardTypes,
} from './catalog/standard.ts'
export {
  createJsonLinesDecoder,
  createJsonLinesEncoder,
  createJsonLinesParser,
  readJsonLines,
  type JsonLine,
  type JsonLinesOptions,
  type JsonLinesParser,
  type JsonLinesSource,
} from './transport/json-lines.ts'
export { applyStream, type ApplyStreamOptions } from './transport/apply-stream.ts'
export { formatDataPath, parseDataPath, type DataPath } from './data/data-path.ts'
export { formatEntries, parseEntries, type FormatEntriesOptions } from './message/v08/entries.ts'
export {
  createSurfaceStore,
  type ApplyResult,
  type SnapshotOptions,
  type SurfaceStore,
  type SurfaceStoreV09,
  type SurfaceStoreV1,
} from './store/store.ts'
export type { SurfaceStoreOptions } from './store/store-options.ts'
export type { SurfaceState, SurfaceStatus, SurfaceView } from './store/surface.ts'
export type { SurfaceChange, SurfaceEvents } from './store/notify.ts'
export type { TreeNode } from './tree/instance.ts'
export type { PathMode } from './tree/scope.ts'
export { buildComponents, type BuiltComponents } from './build/build-components.ts'
export {
  createSurfaceBuilder,
  type SurfaceBuilder,
  type SurfaceDescription,
} from './build/builder.ts'
export { diffSurface, type DiffOptions } from './build/diff.ts'
export {
  bind,
  call,
  check,
  each,
  event,
  ref,
  run,
  type Action,
  type Binding,
  type Call,
  type Check,
  type ComponentReference,
  type DynamicValue,
  type EachBinding,
  type UiNode,
} from './build/nodes.ts'
export { toSelfContained } from './build/self-contained.ts'
export { createUi, ui, uiV09, type Ui } from './build/ui.ts'
export { createSurfaceWriter } from './build/writer.ts'
export type { AnyClientMessage, AnyServerMessage } from './message/any-message.ts'
export { createSystemRuntime, type Runtime } from '@x/wire'
export { escapeMarkdown } from './message/escape-markdown.ts'
