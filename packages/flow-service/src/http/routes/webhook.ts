import { FlowNameQuery } from '../../wire/run.ts'
import type { Once } from '../../services/runs/once.ts'
import { answerOnce } from '../request/idempotency-key.ts'
import { emptyToNull, TextParams } from '../../wire/scalars.ts'
import { readApiKey } from '../access/authenticate.ts'
import { route, type Route } from '../route/route.ts'

/** The webhook trigger. */
export const webhookRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/webhook/{flow_id_or_name}',
      summary: 'Webhook Run Flow',
      auth: 'webhook',
      consumes: 'bytes',
      status: 202,
      params: TextParams('flow_id_or_name'),
      query: FlowNameQuery,
    },
    async (call) => {
      const { services, params, query, request, url, bytes, origin } = call
      const flow = await services.webhooks.find(params.flow_id_or_name, query.user_id)
      const key = await services.webhooks.authorize(flow, readApiKey(request, url, 'header-first'))
      const pinned = await services.versions.pin(flow, emptyToNull(query.version))
      const body = new TextDecoder().decode(await bytes())
      const start = async (once?: Once) => {
        await services.webhooks.start(pinned, body, { ...origin, ...key }, once)
        return { message: 'Task started in the background', status: 'in progress' }
      }
      // Callers without a key are strangers, whoever they are.
      const sender = services.webhooks.isOpen ? `strangers of ${flow.id}` : flow.userId
      return answerOnce(call, [flow.id, pinned.version, body], start, { sender, status: 202 })
    },
  ),
]
