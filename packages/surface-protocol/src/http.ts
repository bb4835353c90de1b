export { createSurface, type Surface } from './transport/create-surface.ts'
export type {
  PathInto,
  SurfaceActionCall,
  SurfaceChanges,
  SurfaceDrawing,
  SurfaceOptions,
  UiFor,
} from './transport/surface-options.ts'
export type { ChannelItem } from './transport/channel-item.ts'
export type { SurfaceChannelOptions } from './transport/channel-options.ts'
export {
  createSurfaceChannel,
  type SubscribeOptions,
  type SurfaceChannel,
} from './transport/channel.ts'
export {
  createSurfaceHandler,
  type ClientMessageContext,
  type SurfaceContext,
  type SurfaceHandlerOptions,
} from './transport/handler.ts'
export {
  openSurfaceStream,
  type OpenSurfaceStreamOptions,
  type StreamItem,
} from './transport/open-stream.ts'
export {
  toJsonLinesResponse,
  toSseResponse,
  type JsonLinesResponseOptions,
  type SseItem,
  type SseResponseOptions,
} from './transport/responses.ts'
export type { AroundRequest, ObservedRequest, RequestEnd, RequestHooks } from '@x/wire'
export { createSseParser, type SseFrame, type SseParser } from './transport/sse-parser.ts'
