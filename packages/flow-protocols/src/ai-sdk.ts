export { createChatHandler } from './ai-sdk/create-chat-handler.ts'
export type {
  AskPersonInput,
  FlowDataParts,
  FlowMessagePart,
  FlowMetadata,
  FlowTools,
  StoredUIMessage,
} from './ai-sdk/flow-ui-message.ts'
export type {
  DoorAuth,
  DoorAuthenticate,
  DoorContext,
  DoorOptions,
  DoorUser,
  FlowChoice,
} from './host/door-options.ts'
export type { DoorSurfacePiece, DoorSurfaces } from './parts/door-surfaces.ts'
export type { DoorHandler } from './host/door-handler.ts'
