export {
  A2UI_EXTENSION_URI,
  A2UI_MIME_TYPE,
  fromDataPart,
  readA2aMetadata,
  toDataPart,
} from './interop/data-part.ts'
export { fromActivityEvent, toActivityEvent } from './interop/activity-event.ts'
export {
  actionToToolCall,
  fromMcpContent,
  supportsA2ui,
  toMcpAppResource,
  toMcpResource,
  toMcpResult,
} from './interop/mcp.ts'
export { detectVersion } from './interop/detect-version.ts'
export type { ConversionDiagnostics } from './interop/conversion-log.ts'
export { convertToV08, createV08Adapter, type V08Adapter } from './interop/to-v08.ts'
export { convertToV09, createV09Adapter, type V09Adapter } from './interop/to-v09.ts'
