export {
  extractBlocks,
  parseBlock,
  type ParseBlockOptions,
  type ParsedBlock,
  type TextBlock,
} from './llm/blocks.ts'
export { formatPrompt, type FormatPromptOptions } from './llm/prompt.ts'
export type { ExtractedPart, Truncation } from './llm/extracted-part.ts'
export {
  createMessageExtractor,
  extractMessages,
  type ExtractMessagesOptions,
  type MessageExtractor,
} from './llm/extract-messages.ts'
export { repairJson, type RepairedJson } from './llm/repair-json.ts'
export { formatCatalogPrompt } from './llm/catalog-prompt.ts'
export {
  formatErrorTurn,
  type FormatErrorTurnOptions,
  type ModelProblem,
} from './llm/error-turn.ts'
export {
  createRequestProcessor,
  type RequestProcessor,
  type RequestProcessorOptions,
} from './llm/request-processor.ts'
export type {
  CompileOptions,
  DecompileOptions,
  FormatParserOptions,
  InferenceFormat,
  ResponseParser,
} from './llm/inference-format.ts'
export { createGenerator, type Generator, type GeneratorOptions } from './llm/generator.ts'
export { directJson } from './llm/direct-json.ts'
export { express, type ExpressOptions } from './llm/express/express.ts'
export {
  runWithRecovery,
  type AttemptError,
  type GenerateRequest,
  type RecoveryAttempt,
  type RecoveryPart,
  type RecoveryResult,
  type RunWithRecoveryOptions,
} from './llm/run-with-recovery.ts'
export type { UrlOptions } from './message/unsafe-urls.ts'
export {
  createSurfaceParts,
  type SurfaceParts,
  type SurfacePartsOptions,
  type SurfacePiece,
} from './llm/surface-parts.ts'
