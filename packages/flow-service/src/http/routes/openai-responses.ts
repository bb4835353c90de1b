import { TextParams } from '../../wire/scalars.ts'
import {
  DeletedResponse,
  InputItems,
  InputItemsQuery,
  OpenAiResponse,
  OpenAiResponseBody,
  ResponseQuery,
} from '../../wire/openai-response.ts'
import { eventStreamAnswer, streamReader } from '../response/event-stream-answer.ts'
import { openAiErrorResponse } from '../response/openai-errors.ts'
import { readVariables } from '../request/run-variables.ts'
import { JsonText, route, type Route } from '../route/route.ts'

const common = { auth: 'openai', answerError: openAiErrorResponse } as const
const PATH = '/api/openai/v1/responses'
const params = TextParams('response_id')
/** Idle milliseconds after which a comment keeps the connection open. */
const HEARTBEAT_MS = 15_000

/** OpenAI Responses API. */
export const openAiResponseRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: PATH,
      summary: 'Create Model Response',
      ...common,
      body: OpenAiResponseBody,
      output: OpenAiResponse,
    },
    async ({ services, caller, body, request, signal, origin }) => {
      const reader = streamReader(signal, body.stream === true)
      const outcome = await services.openAiResponses.create(caller, body, {
        variables: readVariables(request.headers),
        origin,
        signal: reader.signal,
      })
      if (outcome.kind === 'response') return new JsonText(JSON.stringify(outcome.response))
      const heartbeat = { everyMs: HEARTBEAT_MS, runtime: services.mcp.runtime }
      return eventStreamAnswer(outcome.chunks, { signal, left: reader.left, heartbeat })
    },
  ),
  route(
    {
      method: 'GET',
      path: `${PATH}/{response_id}`,
      summary: 'Get Model Response',
      ...common,
      params,
      query: ResponseQuery,
      output: OpenAiResponse,
    },
    async ({ services, caller, params: { response_id: id }, query, signal }) => {
      const { openAiResponses, mcp } = services
      if (!query.stream)
        return new JsonText(JSON.stringify(await openAiResponses.retrieve(caller, id)))
      const reader = streamReader(signal)
      const chunks = await openAiResponses.events(caller, id, {
        after: query.starting_after ?? -1,
        signal: reader.signal,
      })
      const heartbeat = { everyMs: HEARTBEAT_MS, runtime: mcp.runtime }
      return eventStreamAnswer(chunks, { signal, left: reader.left, heartbeat })
    },
  ),
  route(
    {
      method: 'POST',
      path: `${PATH}/{response_id}/cancel`,
      summary: 'Cancel Model Response',
      ...common,
      params,
      output: OpenAiResponse,
    },
    async ({ services, caller, params: { response_id: id } }) =>
      new JsonText(JSON.stringify(await services.openAiResponses.cancel(caller, id))),
  ),
  route(
    {
      method: 'DELETE',
      path: `${PATH}/{response_id}`,
      summary: 'Delete Model Response',
      ...common,
      params,
      output: DeletedResponse,
    },
    async ({ services, caller, params: { response_id: id } }) => {
      await services.openAiResponses.remove(caller, id)
      return { id, object: 'response' as const, deleted: true }
    },
  ),
  route(
    {
      method: 'GET',
      path: `${PATH}/{response_id}/input_items`,
      summary: 'List Input Items',
      ...common,
      params,
      query: InputItemsQuery,
      output: InputItems,
    },
    async ({ services, caller, params: { response_id: id }, query }) => {
      const { items, hasMore } = await services.openAiResponses.inputItems(caller, id, query)
      return {
        object: 'list' as const,
        data: [...items],
        first_id: items[0]?.id ?? null,
        last_id: items.at(-1)?.id ?? null,
        has_more: hasMore,
      }
    },
  ),
]
