export type {
  ChatChunk,
  ChatMessage,
  ChatModel,
  ChatRequest,
  Embedder,
  Tool,
  ToolCall,
  ToolSpec,
} from './models/chat-model.ts'
