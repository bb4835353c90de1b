export {
  A2UI_EXTENSION_URI,
  A2UI_MIME_TYPE,
  fromDataPart,
  readA2aMetadata,
  toDataPart,
} from './interop/data-part.ts'
export { fromActivityEvent, toActivityEvent } from './interop/activity-event.ts'
export {
  createAgUiReader,
  fromAgUi,
  fromRenderTool,
  toToolResult,
  type AgUiReader,
} from './interop/ag-ui.ts'
export { toRecoveryEvent, type RecoveryEvent } from './interop/recovery-event.ts'
export {
  createAgUiSurfaces,
  type AgUiSurfaces,
  type AgUiSurfacesOptions,
} from './transport/ag-ui-surfaces.ts'
export {
  actionToToolCall,
  fromMcpContent,
  supportsA2ui,
  toMcpAppResource,
  toMcpResource,
  toMcpResult,
} from './interop/mcp.ts'
export { readForwardedAction } from './interop/forwarded-action.ts'
export { detectVersion } from './interop/detect-version.ts'
export type { ConversionDiagnostics } from './interop/conversion-log.ts'
export {
  convertToV08,
  convertToV09,
  createV08Adapter,
  createV09Adapter,
  type V08Adapter,
  type V09Adapter,
} from './interop/adapters.ts'
export {
  createVersionAdapter,
  type VersionAdapter,
  type VersionAdapterOptions,
} from './interop/version-adapter.ts'
