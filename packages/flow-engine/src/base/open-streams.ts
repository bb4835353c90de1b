import type { StreamCount } from '@x/wire'

/** Number of open streaming responses of the flow service in this process (OP-8). */
export const openStreams: StreamCount = { open: 0 }
