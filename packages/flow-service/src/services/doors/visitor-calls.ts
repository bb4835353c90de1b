import { checkChatKey, missingKey, type DoorCall } from '@x/flow-protocols/internal'
import { setLru, readUuid } from '@x/wire'
import type { FlowRecord } from '../../store/flows.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { publicFlowId } from '../flows/public-flow-id.ts'
import type { RunOwnerInfo } from '../runs/run-owner-info.ts'

/** Visitors who are remembered; each request makes its own known again. */
const REMEMBERED = 10_000

/** A visitor of a public flow: whoever knows the id of a chat. */
export interface Visitor {
  readonly chatId: string
  readonly ownerId: string
  readonly storedFlowId: string
  /** Network address of the last request. */
  readonly address: string | undefined
}

/** Calls without credentials, for flows that are public. */
export interface VisitorCalls {
  /** @throws DoorError `unauthorized`, whether the flow exists or not */
  find(flowId: string): Promise<FlowRecord>
  /** The call within a chat, whose messages neither the owner nor another visitor meets. */
  enter(call: DoorCall, chatId: string, address: string | undefined): Promise<DoorCall>
  /** The visitor under whose flow id a chat runs; undefined for a flow of a user. */
  of(flowId: string): Visitor | undefined
  scopeOf(visitor: Pick<Visitor, 'ownerId' | 'storedFlowId'>, flowId: string): RunOwnerInfo
}

export function createVisitorCalls({ store }: Pick<ServiceDependencies, 'store'>): VisitorCalls {
  const known = new Map<string, Visitor>()
  return {
    async find(flowId) {
      const flow = readUuid(flowId) === undefined ? null : await store.flows.get(flowId)
      const owner = flow?.accessType === 'PUBLIC' ? await store.users.get(flow.userId) : null
      if (flow === null || owner?.isActive !== true) throw missingKey()
      return flow
    },
    async enter(call, chatId, address) {
      checkChatKey(chatId)
      const { flow, userId: ownerId } = call
      const id = await publicFlowId(chatId, flow.id)
      setLru(known, id, { chatId, ownerId, storedFlowId: flow.id, address }, REMEMBERED)
      return { ...call, flow: { ...flow, id } }
    },
    of: (flowId) => known.get(flowId),
    scopeOf: ({ ownerId, storedFlowId }, runFlowId) => ({
      ownerId,
      storedFlowId,
      isPublic: true,
      runFlowId,
    }),
  }
}
