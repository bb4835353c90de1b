export {
  createSurfaceChannel,
  type ChannelItem,
  type SubscribeOptions,
  type SurfaceChannel,
  type SurfaceChannelOptions,
} from './stream/channel.ts'
export {
  createSurfaceHandler,
  type ClientMessageContext,
  type SurfaceHandlerOptions,
} from './stream/handler.ts'
export {
  openSurfaceStream,
  type OpenSurfaceStreamOptions,
  type StreamItem,
} from './stream/open-stream.ts'
export {
  toJsonLinesResponse,
  toSseResponse,
  type JsonLinesResponseOptions,
  type SseItem,
  type SseResponseOptions,
} from './stream/responses.ts'
export { createSseParser, type SseFrame, type SseParser } from './stream/sse.ts'
