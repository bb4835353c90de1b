import type { StreamCount } from '@x/wire'

/** Number of open surface streams in this process (OP-8). */
export const openStreams: StreamCount = { open: 0 }
