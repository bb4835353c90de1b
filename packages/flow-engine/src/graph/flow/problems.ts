/** Problem codes of a flow, in the order in which errors are reported. */
export const problemOrder = [
  'no_graph',
  'malformed_node',
  'malformed_edge',
  'malformed_handle',
  'malformed_group',
  'duplicate_node_id',
  'unknown_component',
  'missing_node',
  'missing_field',
  'missing_output',
  'type_mismatch',
  'several_chat_inputs',
  'several_streams',
  'too_large',
  'edited_component',
  'ignored_edge',
  'dangling_edge',
  'newer_version',
  'unknown_slice',
  'stalled_cycle',
  'code_tweak',
  'unmatched_tweak',
  'missing_file',
  'missing_input',
  'missing_key',
  'key_to_other_host',
  'unresolved_field',
  'file_left_out',
  'session_replaced',
] as const

export type FlowProblemCode = (typeof problemOrder)[number]

/** An error in a flow, or a warning about a run. */
export interface FlowProblem {
  readonly code: FlowProblemCode
  readonly message: string
  readonly nodeId?: string
  readonly edgeId?: string
  readonly field?: string
  /** The variable that would hold the key or setting, or holds it. */
  readonly variable?: string
  /** Where the key would be sent. */
  readonly host?: string
  readonly severity: 'error' | 'warning'
}

/** Codes with the same rank are reported together, in the order they were found. */
const RANK: ReadonlyMap<FlowProblemCode, number> = new Map(
  problemOrder.map((code, index) => {
    if (code.startsWith('malformed_')) return [code, 1]
    return [code, code === 'missing_output' ? problemOrder.indexOf('missing_field') : index]
  }),
)

/** Sorts by kind, then by node or edge order. */
export function sortProblems(problems: readonly FlowProblem[]): FlowProblem[] {
  return problems.toSorted((a, b) => (RANK.get(a.code) ?? 0) - (RANK.get(b.code) ?? 0))
}

interface ProblemPlace {
  readonly nodeId?: string | undefined
  readonly edgeId?: string | undefined
  readonly field?: string
  readonly variable?: string
  readonly host?: string
}

export function problem(
  code: FlowProblemCode,
  message: string,
  place: ProblemPlace = {},
): FlowProblem {
  const { nodeId, edgeId, field, variable, host } = place
  return Object.freeze({
    code,
    message,
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(edgeId === undefined ? {} : { edgeId }),
    ...(field === undefined ? {} : { field }),
    ...(variable === undefined ? {} : { variable }),
    ...(host === undefined ? {} : { host }),
    severity: 'error' as const,
  })
}

export function warning(
  code: FlowProblemCode,
  message: string,
  place: ProblemPlace = {},
): FlowProblem {
  return asWarning(problem(code, message, place))
}

export function asWarning(found: FlowProblem): FlowProblem {
  return Object.freeze({ ...found, severity: 'warning' as const })
}
