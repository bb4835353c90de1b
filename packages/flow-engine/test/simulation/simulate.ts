import { Cron } from 'croner'
import type { Break } from './breaks.ts'
import { runJobs, Violation, type Size } from './jobs-scenario.ts'
import { createWorld } from './world.ts'

/** How one seed went. */
export interface Outcome {
  readonly seed: number
  /** The rule that did not hold, and what was seen; undefined if all held. */
  readonly failure: string | undefined
  readonly steps: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  readonly hash: string
}

// The engine loads croner at first use, which takes turns of the event loop that no seed decides.
void Cron

/** The size of an ordinary seed. */
export const FULL: Size = { hosts: 3, jobs: 8, faults: 1 }

export async function simulate(
  seed: number,
  options: {
    readonly size?: Size
    readonly broken?: Break | undefined
    readonly trace?: (step: string) => void
  } = {},
): Promise<Outcome> {
  const world = createWorld(seed, options.trace)
  const outcome = { seed, steps: world.steps, counts: world.counts }
  try {
    await runJobs(world, options.size ?? FULL, options.broken)
    return { ...outcome, failure: undefined, hash: world.hash() }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { ...outcome, failure: error.message, hash: world.hash() }
  }
}

/** The first seed of a range that fails. */
export async function firstFailure(
  from: number,
  count: number,
  broken: Break,
): Promise<Outcome | undefined> {
  for (let seed = from; seed < from + count; seed += 1) {
    const outcome = await simulate(seed, { broken })
    if (outcome.failure !== undefined) return outcome
  }
  return undefined
}
