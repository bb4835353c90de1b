import { asId, fileAnswer, type DoorCall, MAX_BODY } from '@x/flow-protocols/internal'
import { TextParams } from '../../wire/scalars.ts'
import { ChatBody, ChatChunk, ChatHistory, ChatHistoryQuery, Stopped } from '../../wire/ai-chat.ts'
import { chatErrorResponse } from '../response/door-errors.ts'
import { readVariables } from '../request/run-variables.ts'
import { anonymous } from '../route/anonymous.ts'
import { route, type Call, type Route } from '../route/route.ts'

const PATH = '/api/ai/v1/chat/{flow}'
const common = {
  auth: 'chat',
  answerError: chatErrorResponse,
  maxBody: MAX_BODY,
} as const
const flowParams = TextParams('flow')
const chatParams = TextParams('flow', 'chat')

/** Flows as backends of the AI SDK's `useChat`. */
export const aiChatRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: PATH,
      summary: 'Chat',
      ...common,
      params: flowParams,
      describedBody: ChatBody,
      output: ChatChunk,
      produces: 'text/event-stream',
    },
    async (call) => call.services.doors.chat.post(await doorCall(call)),
  ),
  route(
    {
      method: 'GET',
      path: `${PATH}/{chat}/stream`,
      summary: 'Resume Chat',
      ...common,
      params: chatParams,
      output: ChatChunk,
      produces: 'text/event-stream',
    },
    async (call) => call.services.doors.chat.resume(await doorCall(call), chatOf(call)),
  ),
  route(
    {
      method: 'GET',
      path: `${PATH}/{chat}`,
      summary: 'Read Chat',
      ...common,
      params: chatParams,
      query: ChatHistoryQuery,
      output: ChatHistory,
    },
    async (call) => {
      const { before = null } = call.query
      return await call.services.doors.chat.history(await doorCall(call), chatOf(call), before)
    },
  ),
  route(
    {
      method: 'POST',
      path: `${PATH}/{chat}/stop`,
      summary: 'Stop Chat',
      ...common,
      params: chatParams,
      output: Stopped,
    },
    async (call) => call.services.doors.chat.stop(await doorCall(call), chatOf(call)),
  ),
  route(
    {
      method: 'DELETE',
      path: `${PATH}/{chat}`,
      summary: 'Delete Chat',
      ...common,
      params: chatParams,
      status: 204,
    },
    async (call) => call.services.doors.chat.remove(await doorCall(call), chatOf(call)),
  ),
  route(
    {
      method: 'GET',
      path: '/api/ai/v1/files/{ticket}',
      summary: 'Read Chat File',
      auth: 'none',
      answerError: chatErrorResponse,
      params: TextParams('ticket'),
      produces: 'application/octet-stream',
    },
    async ({ services, params, request }) => {
      const { path, bytes } = await services.doors.file(params.ticket)
      return fileAnswer(request, path, bytes)
    },
  ),
]

type FlowCall = Pick<
  Call<{ readonly flow: string }, unknown, unknown>,
  'services' | 'caller' | 'params' | 'request' | 'origin' | 'bytesWithin' | 'context'
>

/** The request as the doors take it. */
export function doorCall(call: FlowCall): Promise<DoorCall> {
  const { services, caller, params, request, origin, context, bytesWithin: bytes } = call
  const variables = readVariables(request.headers)
  const given = { request, variables, bytes, origin: { ...origin } }
  if (caller === anonymous) return services.doors.visit(params.flow, given, context.clientAddress)
  return services.doors.call(caller, params.flow, given)
}

function chatOf({ params }: { readonly params: { readonly chat: string } }): string {
  return asId(params.chat, 'The chat id')
}
