import { z } from 'zod'
import {
  TransactionPage,
  transactionToText,
  VertexBuilds,
  vertexBuildParts,
} from '../../wire/build-record.ts'
import { AuditList, AuditListQuery, auditToWire } from '../../wire/audit.ts'
import { listParts, pageAround } from '../../services/flows/flow-text.ts'
import {
  messageChangesFromWire,
  messageOrders,
  MessageRead,
  messageToWire,
  MessageUpdate,
} from '../../wire/message.ts'
import {
  IdParams,
  int,
  MAX_NAME,
  maybe,
  oneOf,
  text,
  TextParams,
  uuid,
} from '../../wire/scalars.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { MEDIUM_BODY } from '../route/body-limit.ts'
import { JsonParts, route, type Route } from '../route/route.ts'

const FlowQuery = z.object({ flow_id: uuid() })
const columns = Object.keys(messageOrders) as (keyof typeof messageOrders)[]

const MessageQuery = z.object({
  flow_id: maybe(uuid()),
  session_id: maybe(text()),
  sender: maybe(text()),
  sender_name: maybe(text()),
  order_by: oneOf(['', ...columns]).default('timestamp'),
})

export const monitorRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/fleet',
      summary: 'Get Fleet',
      auth: 'superuser',
    },
    ({ services }) => services.fleet.read(),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/audit',
      summary: 'Get Audit Records',
      auth: 'superuser',
      query: AuditListQuery,
      output: AuditList,
    },
    async ({ services, query }) => auditToWire(await services.monitor.audit(query), query.limit),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/builds',
      summary: 'Get Vertex Builds',
      auth: 'user',
      query: FlowQuery,
      output: VertexBuilds,
    },
    ({ services, caller, query }) =>
      new JsonParts(vertexBuildParts(services.monitor.builds(caller, query.flow_id))),
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/monitor/builds',
      summary: 'Delete Vertex Builds',
      auth: 'user',
      status: 204,
      query: FlowQuery,
    },
    ({ services, caller, query }) => services.monitor.removeBuilds(caller, query.flow_id),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/messages/sessions',
      summary: 'Get Message Sessions',
      auth: 'user',
      query: z.object({ flow_id: maybe(uuid()) }),
      output: z.array(z.string()),
    },
    ({ services, caller, query }) =>
      new JsonParts(
        listParts(services.monitor.sessions(caller, query.flow_id ?? undefined), toText),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/messages',
      summary: 'Get Messages',
      auth: 'user',
      query: MessageQuery,
      output: MessageRead.array(),
    },
    ({ services, caller, query }) => {
      const messages = services.monitor.messages(caller, {
        ...filterUnlessEmpty('flowId', query.flow_id),
        ...filterUnlessEmpty('sessionId', decodedOnceMore(query.session_id ?? '')),
        ...filterUnlessEmpty('sender', query.sender),
        ...filterUnlessEmpty('senderName', query.sender_name),
        ...(query.order_by === '' ? {} : { orderBy: messageOrders[query.order_by] }),
      })
      return new JsonParts(listParts(messages, messageToText))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/monitor/messages',
      summary: 'Delete Messages',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      status: 204,
      body: z.array(uuid()),
    },
    ({ services, caller, body }) => services.monitor.removeMessages(caller, body),
  ),
  route(
    {
      method: 'PUT',
      path: '/api/v1/monitor/messages/{message_id}',
      summary: 'Update Message',
      auth: 'user',
      params: IdParams('message_id'),
      body: MessageUpdate,
      output: MessageRead,
    },
    async ({ services, caller, params, body }) => {
      const changes = messageChangesFromWire(body)
      const message = await services.monitor.updateMessage(caller, params.message_id, changes)
      // Only lists include the duration of a message.
      const { duration: _duration, ...wire } = messageToWire(message)
      return wire
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/monitor/messages/session/{old_session_id}',
      summary: 'Update Session Id',
      auth: 'user',
      params: TextParams('old_session_id'),
      query: z.object({ new_session_id: text({ min: 1, max: MAX_NAME }) }),
      output: MessageRead.array(),
    },
    async ({ services, caller, params, query }) => {
      const { old_session_id: from } = params
      const renamed = await services.monitor.renameSession(caller, from, query.new_session_id)
      return new JsonParts(listParts(renamed, messageToText))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/monitor/messages/session/{session_id}',
      summary: 'Delete Messages Session',
      auth: 'user',
      status: 204,
      params: TextParams('session_id'),
    },
    ({ services, caller, params }) => services.monitor.removeSession(caller, params.session_id),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/monitor/transactions',
      summary: 'Get Transactions',
      auth: 'user',
      query: FlowQuery.extend({
        page: int({ ge: 1 }).default(1),
        size: int({ ge: 1, le: 100 }).default(50),
      }),
      output: TransactionPage,
    },
    async ({ services, caller, query: { flow_id: flowId, page, size } }) => {
      const found = await services.monitor.transactions(caller, flowId, { page, size })
      const around = pageAround({ total: found.total, page, size })
      return new JsonParts(listParts(found.items, transactionToText, around))
    },
  ),
]

const toText = (value: string): string => JSON.stringify(value)

function messageToText(message: StoredMessage): string {
  return JSON.stringify(messageToWire(message))
}

/** A filter, unless it is absent or empty. */
function filterUnlessEmpty<K extends string>(
  key: K,
  value: string | null | undefined,
): { [P in K]?: string } {
  return (value ?? '') === '' ? {} : ({ [key]: value } as { [P in K]?: string })
}

/** The reference decodes this value a second time; invalid encodings are kept unchanged. */
function decodedOnceMore(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
