/** A branch call of a component: the action and the output it names. */
export type BranchCall = readonly ['stop' | 'start' | 'exclude' | 'include', string]

export const NO_OUTPUTS: ReadonlySet<string> = new Set()

/** The outputs of a build that are dead. */
export interface Decision {
  /** For this build only. */
  readonly stopped: ReadonlySet<string>
  /** Until the vertex decides again. */
  readonly excluded: ReadonlySet<string>
  readonly dead: ReadonlySet<string>
}

export const NO_DECISION: Decision = { stopped: NO_OUTPUTS, excluded: NO_OUTPUTS, dead: NO_OUTPUTS }

/** A build without branch calls keeps the earlier exclusions. */
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
