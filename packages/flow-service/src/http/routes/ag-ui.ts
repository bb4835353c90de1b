import { MAX_BODY } from '@x/flow-protocols/internal'
import { TextParams } from '../../wire/scalars.ts'
import { AgUiEvent, AgentCapabilities, RunAgentInput } from '../../wire/ag-ui.ts'
import { Stopped } from '../../wire/ai-chat.ts'
import { agUiErrorResponse } from '../response/door-errors.ts'
import { route, type Route } from '../route/route.ts'
import { doorCall } from './ai-chat.ts'

const PATH = '/api/ag-ui/v1/{flow}'
const common = {
  auth: 'chat',
  answerError: agUiErrorResponse,
  maxBody: MAX_BODY,
} as const
const params = TextParams('flow')
const stream = {
  ...common,
  params,
  describedBody: RunAgentInput,
  output: AgUiEvent,
  produces: 'text/event-stream',
} as const

/** Flows as AG-UI agents. */
export const agUiRoutes: readonly Route[] = [
  route({ method: 'POST', path: PATH, summary: 'Run Agent', ...stream }, async (call) =>
    call.services.doors.agUi.run(await doorCall(call)),
  ),
  route(
    { method: 'POST', path: `${PATH}/connect`, summary: 'Connect Agent', ...stream },
    async (call) => call.services.doors.agUi.connect(await doorCall(call)),
  ),
  route(
    {
      method: 'POST',
      path: `${PATH}/threads/{thread}/stop`,
      summary: 'Stop Thread',
      ...common,
      params: TextParams('flow', 'thread'),
      output: Stopped,
    },
    async (call) => call.services.doors.agUi.stop(await doorCall(call), call.params.thread),
  ),
  route(
    {
      method: 'GET',
      path: `${PATH}/capabilities`,
      summary: 'Read Agent Capabilities',
      ...common,
      params,
      output: AgentCapabilities,
    },
    async (call) => call.services.doors.agUi.capabilities(await doorCall(call)),
  ),
]
