/** Capacity of one lane of jobs. */
export interface QueueOptions {
  /** Concurrent jobs of this lane in one process. */
  readonly concurrency: number
  /** Maximum number of waiting jobs of this lane. Default: `maxQueued` of all jobs. */
  readonly maxQueued?: number
  /** If true, the lane has its own slots instead of sharing those of ordinary jobs. */
  readonly beside?: boolean
}

/** Decides which jobs may start in which lane. */
export interface QueueCapacity {
  /** The ordinary lane `''` comes first. */
  readonly names: readonly string[]
  /** Number of jobs of a lane that may start now, given the lanes of the running jobs. */
  room(lane: string, running: Iterable<string>): number
}

/** Ordinary jobs have `concurrency` slots. A lane that shares them never takes the last free one. */
export function createQueueCapacity(
  concurrency: number,
  lanes: Readonly<Record<string, QueueOptions>> = {},
): QueueCapacity {
  const of = new Map(Object.entries(lanes))
  return {
    names: ['', ...of.keys()],
    room(lane, running) {
      let own = 0
      let shared = 0
      for (const other of running) {
        if (other === lane) own += 1
        if (of.get(other)?.beside !== true) shared += 1
      }
      const options = of.get(lane)
      if (options === undefined) return concurrency - shared
      if (options.beside === true) return options.concurrency - own
      const spare = Math.max(concurrency - 1, 1) - shared
      return Math.min(options.concurrency - own, spare)
    },
  }
}
