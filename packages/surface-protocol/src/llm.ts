export { extractBlocks, parseBlock, type TextBlock } from './llm/blocks.ts'
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
