import { json } from '@x/wire'
import { ResponsesAnswer, ResponsesBody } from '../../wire/responses.ts'
import { eventStreamAnswer, streamReader } from '../response/event-stream-answer.ts'
import { readVariables } from '../request/run-variables.ts'
import { route, type Route } from '../route/route.ts'

/** Flows behind the older OpenAI-compatible API of the editor's service. */
export const responsesRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/responses',
      summary: 'Create Response',
      auth: 'bearer-key',
      body: ResponsesBody,
      output: ResponsesAnswer,
    },
    async ({ services: { responses }, caller, body, request, signal, origin }) => {
      const reader = streamReader(signal, body.stream)
      const outcome = await responses.create(
        caller,
        {
          model: body.model,
          input: body.input,
          stream: body.stream,
          hasTools: body.tools !== null,
          previousResponseId: body.previous_response_id,
          include: body.include ?? [],
          variables: readVariables(request.headers),
          origin,
        },
        reader.signal,
      )
      if (outcome.kind === 'stream')
        return eventStreamAnswer(outcome.chunks, { signal, left: reader.left })
      if (outcome.kind === 'response') return json(request, outcome.response)
      const { status, ...error } = outcome.failure
      return json(request, { error }, { status: responses.statusCodes ? status : 200 })
    },
  ),
]
