import { TextParams } from '../../wire/scalars.ts'
import {
  PendingList,
  PendingQuery,
  questionJson,
  ResumeAccepted,
  ResumeBody,
} from '../../wire/workflow.ts'
import { route, type Route } from '../route/route.ts'

/** Questions builds are waiting for, and their answers. */
export const workflowRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v2/workflows/pending',
      summary: 'List Pending Workflows',
      auth: 'user',
      query: PendingQuery,
      output: PendingList,
    },
    async ({ services, caller, query }) =>
      (await services.questions.pending(caller, query.flow_id ?? null)).map(questionJson),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v2/workflows/{job_id}/resume',
      summary: 'Resume Workflow',
      auth: 'user',
      params: TextParams('job_id'),
      body: ResumeBody,
      output: ResumeAccepted,
    },
    async ({ services, caller, params, body }) => {
      const { request_id: requestId, decision } = body
      await services.questions.resume(caller, params.job_id, { requestId, decision })
      return { job_id: params.job_id, status: 'resuming', message: 'Resume accepted' }
    },
  ),
]
