import { z } from 'zod'
import type { OpenQuestion } from '../services/runs/questions.ts'
import { dict, orNull, text, uuid } from './scalars.ts'

export const PendingQuery = z.object({ flow_id: orNull(uuid()) })

export const ResumeBody = z
  .object({ request_id: text(), decision: dict().nullable() })
  .meta({ id: 'WorkflowResumeRequest' })

export const ResumeAccepted = z
  .object({ job_id: text(), status: text(), message: text() })
  .meta({ id: 'WorkflowResumeResponse' })

const Pending = z
  .object({
    job_id: text(),
    flow_id: text(),
    session_id: text(),
    created_at: text(),
    request_id: text(),
    kind: text(),
    prompt: text().nullable(),
    options: z.object({ action_id: text(), label: text() }).array(),
    allowed_decisions: text().array(),
    vertex_id: text(),
    schema: dict().nullable(),
    question: z.unknown(),
    expires_at: text().nullable(),
    action_requests: dict().array().optional(),
  })
  .meta({ id: 'PendingWorkflow' })

export const PendingList = Pending.array()

/** Converts an open question to its wire form. */
export function questionJson(question: OpenQuestion): z.input<typeof Pending> {
  const { actionRequests, options, expiresAt } = question
  return {
    job_id: question.jobId,
    flow_id: question.flowId,
    session_id: question.sessionId,
    created_at: question.createdAt.toISOString(),
    request_id: question.requestId,
    kind: question.kind,
    prompt: question.prompt,
    options: options.map(({ actionId, label }) => ({ action_id: actionId, label })),
    allowed_decisions: question.allowedDecisions,
    vertex_id: question.vertexId,
    schema: question.schema,
    question: question.question,
    expires_at: expiresAt === null ? null : expiresAt.toISOString(),
    ...(actionRequests === undefined
      ? {}
      : { action_requests: actionRequests.map((request) => ({ ...request })) }),
  }
}
