import type { z } from 'zod'
import type { FlowModel } from '../../services/openai/chat-completions.ts'
import { ChatCompletion, ChatCompletionBody, Model, ModelList } from '../../wire/chat-completion.ts'
import { TextParams } from '../../wire/scalars.ts'
import { eventStreamAnswer, streamReader } from '../response/event-stream-answer.ts'
import { openAiErrorResponse } from '../response/openai-errors.ts'
import { readVariables } from '../request/run-variables.ts'
import { JsonText, route, type Route } from '../route/route.ts'

const common = { auth: 'openai', answerError: openAiErrorResponse } as const

/** Flows behind the OpenAI API, for its official clients. */
export const openAiRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/openai/v1/models',
      summary: 'List Models',
      ...common,
      output: ModelList,
    },
    async ({ services, caller }) => {
      const models = await services.openAi.models(caller)
      return { object: 'list' as const, data: models.map(modelJson) }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/openai/v1/models/{model}',
      summary: 'Retrieve Model',
      ...common,
      params: TextParams('model'),
      output: Model,
    },
    async ({ services, caller, params }) =>
      modelJson(await services.openAi.model(caller, params.model)),
  ),
  route(
    {
      method: 'POST',
      path: '/api/openai/v1/chat/completions',
      summary: 'Create Chat Completion',
      ...common,
      body: ChatCompletionBody,
      output: ChatCompletion,
    },
    async ({ services, caller, body, request, signal, origin }) => {
      const reader = streamReader(signal, body.stream === true)
      const outcome = await services.openAi.complete(caller, body, {
        variables: readVariables(request.headers),
        origin,
        signal: reader.signal,
      })
      return outcome.kind === 'stream'
        ? eventStreamAnswer(outcome.chunks, { signal, left: reader.left })
        : new JsonText(JSON.stringify(outcome.completion))
    },
  ),
]

function modelJson({ flow, ownedBy }: FlowModel): z.input<typeof Model> {
  return {
    id: flow.endpointName ?? flow.id,
    object: 'model',
    created: Math.floor(flow.createdAt.getTime() / 1000),
    owned_by: ownedBy,
    name: flow.name,
    description: flow.description,
  }
}
