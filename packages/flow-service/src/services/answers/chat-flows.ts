import { isFlowError } from '@x/flow-engine'
import { planAsksPeople } from '@x/flow-engine/internal'
import { graphOf } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import type { PlanVertex } from '@x/flow-engine/internal'
import type { FlowRecord } from '../../store/flows.ts'
import type { Caller } from '../base/caller.ts'
import type { FlowService } from '../flows/flows.ts'
import type { PlanCache } from '../runs/plan-cache.ts'

/** Number of chat inputs and chat outputs of a flow. */
export interface ChatEnds {
  readonly inputs: number
  readonly outputs: number
}

/** Flows as chat models. */
export interface ChatFlows {
  /** The caller's own flow with this id or endpoint name; null if there is none. */
  find(caller: Caller, model: string): Promise<FlowRecord | null>
  /** Counts chat inputs and chat outputs; null if the flow cannot be read. */
  ends(flow: FlowRecord): ChatEnds | null
  /**
   * True if the model's chunks make up the answer: one chat output, fed only by a model or an agent.
   */
  streams(flow: FlowRecord): boolean
  /** True if a run may ask a person. */
  asks(flow: FlowRecord): boolean
  /** @throws FlowCompileError if the flow cannot be compiled */
  plan(flow: FlowRecord): FlowPlan
  /** True if a flow can be offered as a model: it compiles and has a chat input and a chat output. */
  isModel(flow: FlowRecord): boolean
}

export function createChatFlows(flows: Pick<FlowService, 'find'>, plans: PlanCache): ChatFlows {
  const count = (flow: FlowRecord, get: 'get' | 'getPartly'): ChatEnds | null => {
    if (flow.data === null) return { inputs: 0, outputs: 0 }
    try {
      const vertices = graphOf(plans[get](flow.id, flow.name, flow.data))?.vertices ?? []
      const of = (type: string): number => vertices.filter((vertex) => vertex.type === type).length
      return { inputs: of('ChatInput'), outputs: of('ChatOutput') }
    } catch (error) {
      if (isFlowError(error)) return null
      throw error
    }
  }
  const vertices = (flow: FlowRecord): readonly PlanVertex[] | undefined =>
    flow.data === null
      ? undefined
      : graphOf(plans.getPartly(flow.id, flow.name, flow.data))?.vertices
  return {
    async find(caller, model) {
      const flow = await flows.find(model, { userId: caller.id, callerId: caller.id })
      return flow?.userId === caller.id ? flow : null
    },
    ends: (flow) => count(flow, 'getPartly'),
    asks: ({ id, name, data }) => data !== null && planAsksPeople(plans.getPartly(id, name, data)),
    plan: ({ id, name, data }) => plans.get(id, name, data ?? '{}'),
    streams(flow) {
      const outputs = vertices(flow)?.filter(({ type }) => type === 'ChatOutput') ?? []
      const [source, ...others] = outputs.flatMap(({ incoming }) => incoming)
      if (outputs.length !== 1 || source === undefined || others.length > 0) return false
      return /Model|Agent/.test(vertices(flow)?.[source.source]?.type ?? '')
    },
    isModel(flow) {
      const ends = flow.isComponent ? null : count(flow, 'get')
      return ends !== null && ends.inputs > 0 && ends.outputs > 0
    },
  }
}
