import type { z } from 'zod'
import type { RunFlowRequest } from '../../services/runs/run-service.ts'
import { refuse } from '../../refusal.ts'
import {
  AdvancedRunBody,
  RunQuery,
  RunRequestBody,
  RunResponse,
  TaskResponse,
  FlowNameQuery,
} from '../../wire/run.ts'
import { emptyToNull, TextParams } from '../../wire/scalars.ts'
import { readClientId } from '../access/authenticate.ts'
import { answerOnce } from '../request/idempotency-key.ts'
import { eventStreamAnswer, streamReader } from '../response/event-stream-answer.ts'
import { anonymous } from '../route/anonymous.ts'
import { readVariables } from '../request/run-variables.ts'
import { route, type Call, type Route } from '../route/route.ts'

const RETIRED =
  'The /process endpoint is deprecated and will be removed in a future version. Please use /run instead.'

const runParams = TextParams('flow_id_or_name')
type RunCall = Call<
  z.output<typeof runParams>,
  z.output<typeof RunQuery>,
  z.output<typeof RunRequestBody>
>

/** Runs. */
export const runRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/run/{flow_id_or_name}',
      summary: 'Simplified Run Flow',
      auth: 'key',
      params: runParams,
      query: RunQuery,
      body: RunRequestBody,
      output: RunResponse,
    },
    answerRun,
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/run/session/{flow_id_or_name}',
      summary: 'Simplified Run Flow Session',
      auth: 'session',
      guard: ({ services }) => {
        if (!services.runs.bySession) throw refuse(404, 'This endpoint is not available')
      },
      params: runParams,
      query: RunQuery,
      body: RunRequestBody,
      output: RunResponse,
    },
    answerRun,
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/run/advanced/{flow_id_or_name}',
      summary: 'Experimental Run Flow',
      auth: 'key',
      params: runParams,
      query: FlowNameQuery,
      body: AdvancedRunBody,
      output: RunResponse,
    },
    async (call) => {
      const { services, caller, params, query, body, signal, origin } = call
      const flow = await services.runs.find(caller, params.flow_id_or_name, {
        userId: query.user_id,
        version: emptyToNull(query.version),
      })
      const session = emptyToNull(body?.session_id)
      if (session !== null) throw refuse(404, `Session ${session} not found`)
      const advanced = {
        inputs:
          body?.inputs?.map((input) => ({
            value: input.input_value,
            components: input.components ?? [],
            type: input.type ?? 'any',
          })) ?? null,
        outputs: body?.outputs ?? [],
        tweaks: body?.tweaks ?? null,
      }
      return answerOnce(call, [flow.id, flow.version, advanced], (once) =>
        services.runs.advanced(flow, advanced, { signal, origin, once }),
      )
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/task/{_task_id}',
      summary: 'Get Task Status',
      auth: 'optional',
      deprecated: true,
      params: TextParams('_task_id'),
      output: TaskResponse,
    },
    async ({ services, caller, request, params: { _task_id: id } }) => {
      const userId = caller === anonymous ? null : caller.id
      const task = await services.builds.task({ userId, clientId: readClientId(request) }, id)
      if (task === null) throw refuse(400, RETIRED.replace('/process', '/task'))
      return task
    },
  ),
  ...['process', 'predict'].map((name) =>
    route(
      {
        method: 'POST',
        path: `/api/v1/${name}/{_flow_id}`,
        summary: 'Process',
        auth: 'key',
        params: TextParams('_flow_id'),
      },
      () => {
        throw refuse(400, RETIRED)
      },
    ),
  ),
]

async function answerRun(call: RunCall) {
  const { services, caller, params, query, body, request, signal, origin } = call
  const flow = await services.runs.find(caller, params.flow_id_or_name, {
    userId: query.user_id,
    version: emptyToNull(query.version),
  })
  const run = readRun(body, query.stream, request)
  const { stream, ...content } = run
  return answerOnce(call, [flow.id, flow.version, content], async (once) => {
    if (!stream) return services.runs.run(flow, run, { signal, origin, once })
    await services.runs.admit(flow, origin)
    const reader = streamReader(signal)
    const lines = await services.runs.stream(flow, run, { signal: reader.signal, origin, once })
    return eventStreamAnswer(lines, { signal, left: reader.left })
  })
}

function readRun(
  { input, context }: z.output<typeof RunRequestBody>,
  stream: boolean,
  request: Request,
): RunFlowRequest {
  return {
    inputValue: input.input_value,
    inputType: input.input_type ?? 'any',
    outputType: input.output_type,
    outputComponent: input.output_component,
    tweaks: input.tweaks,
    sessionId: emptyToNull(input.session_id),
    context,
    variables: readVariables(request.headers),
    stream,
  }
}
