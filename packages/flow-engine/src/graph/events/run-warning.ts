import type { FlowProblem } from '../flow/problems.ts'

/** A warning of a run and the component it concerns. */
export interface RunWarningJson {
  code: string
  message: string
  component_id?: string
}

/** Maximum warnings of an `end` event, and maximum characters of each message. */
const MAX_WARNINGS = 100
const MAX_MESSAGE = 1000

/** The wire form of a warning. */
export function warningJson({ code, message, nodeId }: FlowProblem): RunWarningJson {
  return { code, message, ...(nodeId === undefined ? {} : { component_id: nodeId }) }
}

/** The data of the `end` event of a run that was not cancelled. */
export function endJson(warnings: readonly FlowProblem[]): { warnings?: RunWarningJson[] } {
  if (warnings.length === 0) return {}
  return {
    warnings: warnings
      .slice(0, MAX_WARNINGS)
      .map((problem) =>
        warningJson({ ...problem, message: problem.message.slice(0, MAX_MESSAGE) }),
      ),
  }
}
