/** Places of one lane of jobs. */
export interface LaneOptions {
  /** Jobs of this lane that run at once in one process. */
  readonly concurrency: number
  /** Jobs of this lane that wait; `maxQueued` of all jobs by default. */
  readonly maxQueued?: number
  /** True: its places are not taken from those of ordinary jobs. */
  readonly beside?: boolean
}

/** Decides which jobs may start in which lane (AB-70, AB-71). */
export interface LanePlaces {
  /** The ordinary lane `''` first. */
  readonly names: readonly string[]
  /** Jobs of a lane that may start now, given the lanes of those that run. */
  room(lane: string, running: Iterable<string>): number
}

/**
 * Ordinary jobs have `concurrency` places. A lane inside them never takes the last free one; a lane
 * beside them has places of its own.
 */
export function createLanePlaces(
  concurrency: number,
  lanes: Readonly<Record<string, LaneOptions>> = {},
): LanePlaces {
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
