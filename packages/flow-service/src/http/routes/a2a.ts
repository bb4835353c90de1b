import { DoorError, MAX_BODY } from '@x/flow-protocols/internal'
import { publicBase } from '../../services/doors/doors.ts'
import { AgentCard, AgentKeys, JsonRpcAnswer, JsonRpcRequest } from '../../wire/a2a.ts'
import { TextParams } from '../../wire/scalars.ts'
import { a2aErrorResponse } from '../response/door-errors.ts'
import { SMALL_BODY } from '../route/body-limit.ts'
import { route, type Call, type Route } from '../route/route.ts'
import { doorCall } from './ai-chat.ts'

const BASE = '/api/a2a/v1'
const CARD = '.well-known/agent-card.json'
const KEYS = '/.well-known/agent-keys.json'
const common = {
  auth: 'agent',
  answerError: a2aErrorResponse,
  maxBody: MAX_BODY,
} as const
const params = TextParams('flow')
const cardHead = {
  method: 'GET',
  summary: 'Read Agent Card',
  ...common,
  output: AgentCard,
} as const

/** Flows as A2A agents. */
export const a2aRoutes: readonly Route[] = [
  ...[`${BASE}/{flow}`, `${BASE}/{flow}/`].map((path) =>
    route(
      {
        method: 'POST',
        path,
        summary: 'Call Agent',
        ...common,
        params,
        describedBody: JsonRpcRequest,
        output: JsonRpcAnswer,
      },
      async (call) => {
        await checkThere(call)
        return await call.services.doors.a2a.post(
          await doorCall(call),
          addressOf(call, call.params.flow),
        )
      },
    ),
  ),
  route({ ...cardHead, path: `${BASE}/{flow}/${CARD}`, params }, async (call) => {
    await checkThere(call)
    return await call.services.doors.a2a.card(
      await doorCall(call),
      addressesOf(call, call.params.flow),
    )
  }),
  route(
    { ...cardHead, path: `${BASE}/${CARD}`, auth: 'none', maxBody: SMALL_BODY },
    ({ request, services }) => {
      const base = publicBase(request, services.status.settings)
      const address = `${base}${BASE}/<flow>/`
      throw new DoorError(
        'not_found',
        `Give the address of the agent with a slash at its end: ${address}`,
      )
    },
  ),
  route(
    {
      ...cardHead,
      path: KEYS,
      summary: 'Read Agent Keys',
      auth: 'none',
      maxBody: SMALL_BODY,
      output: AgentKeys,
    },
    async (call) => {
      await checkThere(call)
      return call.services.doors.a2a.keys(call.request)
    },
  ),
  route({ ...cardHead, path: `/${CARD}` }, async (call) => {
    await checkThere(call)
    const { rootFlow: flow } = call.services.doors
    if (flow === undefined) throw new DoorError('not_found', 'This server names no agent.')
    const named = { ...pick(call), params: { flow } }
    return await call.services.doors.a2a.card(await doorCall(named), addressesOf(call, flow))
  }),
]

type AnyCall = Call<unknown, unknown, unknown>

/** @throws DoorError `not_found` without the library of the protocol */
async function checkThere({ services }: AnyCall): Promise<void> {
  if (!(await services.doors.a2a.isThere()))
    throw new DoorError('not_found', 'A2A needs the package @a2a-js/sdk.')
}

function addressOf({ request, services }: AnyCall, flow: string): string {
  const base = publicBase(request, services.status.settings)
  return `${base}${BASE}/${encodeURIComponent(flow)}`
}

function addressesOf(call: AnyCall, flow: string) {
  const { request, services } = call
  const keysUrl = `${publicBase(request, services.status.settings)}${KEYS}`
  return { url: addressOf(call, flow), keysUrl }
}

function pick({ services, caller, request, origin, bytesWithin, context }: AnyCall) {
  return { services, caller, request, origin, bytesWithin, context }
}
