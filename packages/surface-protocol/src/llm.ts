export {
  createMessageExtractor,
  extractMessages,
  type ExtractedPart,
  type ExtractMessagesOptions,
  type MessageExtractor,
} from './convert/extract-messages.ts'
export { repairJson, type RepairedJson } from './convert/repair-json.ts'
export { formatCatalogPrompt } from './convert/catalog-prompt.ts'
