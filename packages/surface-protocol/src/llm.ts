export type { ExtractedPart } from './llm/extracted-part.ts'
export {
  createMessageExtractor,
  extractMessages,
  type ExtractMessagesOptions,
  type MessageExtractor,
} from './llm/extract-messages.ts'
export { repairJson, type RepairedJson } from './llm/repair-json.ts'
export { formatCatalogPrompt } from './llm/catalog-prompt.ts'
