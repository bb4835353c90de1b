export {
  A2UI_EXTENSION_URI,
  A2UI_MIME_TYPE,
  fromDataPart,
  toDataPart,
} from './interop/data-part.ts'
export { detectVersion } from './interop/detect-version.ts'
export type { ConversionDiagnostics } from './interop/conversion-log.ts'
export { convertToV08, createV08Adapter, type V08Adapter } from './interop/to-v08.ts'
export { convertToV09, createV09Adapter, type V09Adapter } from './interop/to-v09.ts'
