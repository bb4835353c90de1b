import { eventLoopTurn } from '@x/wire'

/** Packed bytes inflated per step; each can expand to at most 1,000 times its size. */
const SLICE = 4 * 1024
/** Yields to the event loop after this much work. */
const TURN = 2 * 1024 * 1024

/** Counts work of a decompressor, in bytes. */
export type CountWork = (bytes: number) => void

/** Counts the work of several decompressors that run one after the other. */
export interface UnpackingWork {
  readonly count: CountWork
  /** Yields to the event loop when enough is done. */
  turn(): Promise<void>
}

export function createUnpackingWork(): UnpackingWork {
  let done = 0
  return {
    count(bytes) {
      done += bytes
    },
    async turn() {
      if (done < TURN) return
      done = 0
      await eventLoopTurn()
    },
  }
}

/**
 * Feeds packed bytes to a decompressor in slices and lets other tasks run in between.
 * @param create creates the decompressor's `push`; call `count` with the bytes that it unpacks
 * @param work also counts the work of earlier decompressors
 */
export async function inflateCooperatively(
  bytes: Uint8Array,
  create: (count: CountWork) => (slice: Uint8Array, isLast: boolean) => void,
  work = createUnpackingWork(),
): Promise<void> {
  const push = create(work.count)
  for (let at = 0; at < bytes.length; at += SLICE) {
    push(bytes.subarray(at, at + SLICE), at + SLICE >= bytes.length)
    work.count(SLICE)
    await work.turn()
  }
}
