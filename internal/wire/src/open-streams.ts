import type { StreamCount } from './event-stream.ts'

/** Number of open streaming responses of the flow service in this process. */
export const openStreams: StreamCount = { open: 0 }
