/** One call of a component that steers a branch: what it does, and the output it names (FE-30). */
export type BranchCall = readonly ['stop' | 'start' | 'exclude' | 'include', string]

export const NO_OUTPUTS: ReadonlySet<string> = new Set()

/** Which outputs of a build lead on to nothing (FE-30). */
export interface Decision {
  /** In this build only. */
  readonly stopped: ReadonlySet<string>
  /** Until the vertex decides again. */
  readonly excluded: ReadonlySet<string>
  readonly dead: ReadonlySet<string>
}

export const NO_DECISION: Decision = { stopped: NO_OUTPUTS, excluded: NO_OUTPUTS, dead: NO_OUTPUTS }

/** A build that decides nothing keeps what was excluded before. */
export function decide(calls: readonly BranchCall[], before: Decision | undefined): Decision {
  if (calls.length === 0) {
    if (before === undefined || before.excluded.size === 0) return NO_DECISION
    return { stopped: NO_OUTPUTS, excluded: before.excluded, dead: before.excluded }
  }
  const stopped = new Set<string>()
  const excluded = new Set<string>()
  for (const [what, output] of calls) {
    if (what === 'stop') stopped.add(output)
    else if (what === 'start') stopped.delete(output)
    else if (what === 'exclude') excluded.add(output)
    else excluded.delete(output)
  }
  return { stopped, excluded, dead: new Set([...stopped, ...excluded]) }
}
