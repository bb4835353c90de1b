import type { StreamCount } from '@x/wire'

/** Answers of the flow service that are streams and have not ended, in this process (OP-8). */
export const openStreams: StreamCount = { open: 0 }
