import type { StreamCount } from '@x/wire'

/** Streams of surfaces that have not ended, in this process (OP-8). */
export const openStreams: StreamCount = { open: 0 }
