export { createAnthropicModel } from './models/anthropic.ts'
export {
  isChatModel,
  isEmbedder,
  isTool,
  type ContentPart,
  type FinishReason,
} from './models/chat-model.ts'
export { fromAiSdk, type AiSdkModel } from './models/from-ai-sdk.ts'
export { fromLangChain, type LangChainModel } from './models/from-lang-chain.ts'
export { isModelError, ModelError, type ProviderFailure } from './models/model-error.ts'
export type { ModelClientOptions, OpenAiModelOptions } from './models/model-options.ts'
export {
  createOpenAiEmbedder,
  createOpenAiModel,
  type OpenAiEmbedderOptions,
} from './models/openai-compatible.ts'
export {
  createModelProviders,
  findChatModel,
  findEmbedder,
  type ModelHost,
} from './models/providers.ts'
export { createWatsonxModel, type WatsonxModelOptions } from './models/watsonx.ts'
