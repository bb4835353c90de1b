import { isFlowError } from '../errors.ts'
import { graphOf } from '../graph/plan/compile.ts'
import type { PlanVertex } from '../graph/plan/plan-graph.ts'
import type { FlowRecord } from '../store/flows.ts'
import type { Caller } from './caller.ts'
import type { FlowService } from './flows.ts'
import type { PlanCache } from './plan-cache.ts'

/** How many of each a flow has. */
export interface ChatEnds {
  readonly inputs: number
  readonly outputs: number
}

/** Flows as chat models. */
export interface ChatFlows {
  /** The caller's own flow of this id or endpoint name (RS-4); null for every other text. */
  find(caller: Caller, model: string): Promise<FlowRecord | null>
  /** Chat inputs and chat outputs; null when the flow cannot be read. */
  ends(flow: FlowRecord): ChatEnds | null
  /**
   * Whether the pieces of its model are the pieces of its answer: one chat output, fed by a model or an
   * agent alone (RS-28).
   */
  streams(flow: FlowRecord): boolean
  /** Whether a flow can be offered: it compiles and has both ends (RS-44). */
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
