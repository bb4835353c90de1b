import { z } from 'zod'
import type { FlowProblem } from '@x/flow-engine'

/** Maximum problems of a response, and maximum characters of a message. */
const MAX_PROBLEMS = 200
const MAX_MESSAGE = 1_000

const Problem = z
  .object({
    code: z.string(),
    message: z.string(),
    severity: z.enum(['error', 'warning']),
    node_id: z.string().nullable(),
    edge_id: z.string().nullable(),
    field: z.string().nullable(),
    variable: z.string().optional(),
    host: z.string().optional(),
  })
  .meta({ id: 'FlowProblem' })

/** The problems of a flow, at most 200; `total` counts all of them. */
export const FlowProblems = z
  .object({ total: z.int(), problems: Problem.array() })
  .meta({ id: 'FlowProblems' })

export function flowProblemsToWire(problems: readonly FlowProblem[]): z.input<typeof FlowProblems> {
  const shown = problems.slice(0, MAX_PROBLEMS)
  return {
    total: problems.length,
    problems: shown.map(({ code, message, severity, nodeId, edgeId, field, variable, host }) => ({
      code,
      message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message,
      severity,
      node_id: nodeId ?? null,
      edge_id: edgeId ?? null,
      field: field ?? null,
      ...(variable !== undefined && { variable }),
      ...(host !== undefined && { host }),
    })),
  }
}
