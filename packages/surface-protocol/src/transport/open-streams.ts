import type { StreamCount } from '@x/wire'

/** Number of open surface streams in this process. */
export const openStreams: StreamCount = { open: 0 }
