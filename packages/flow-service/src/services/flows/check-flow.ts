import { checkEachNode } from '@x/flow-engine/internal'
import type { CompileOptions } from '@x/flow-engine'
import type { FlowProblem } from '@x/flow-engine'
import { refuse } from '@x/flow-engine/internal'
import type { FlowStore } from '../../store/flow-store.ts'
import type { Caller } from '../base/caller.ts'
import { ownFlow } from '../base/own-flow.ts'

/** Finds the problems of a stored flow without running it (FE-8). */
export interface FlowCheckService {
  /**
   * Errors, then warnings, each with its node or edge; empty for a flow without a graph.
   * @throws Refusal 404 for an unknown flow or another user's
   */
  check(caller: Caller, flowId: string): Promise<readonly FlowProblem[]>
}

/** Checks with the same components, limits and code runner as a build. */
export function createFlowCheckService(
  store: Pick<FlowStore, 'flows'>,
  options: CompileOptions,
): FlowCheckService {
  return {
    async check(caller, flowId) {
      const flow = await ownFlow(store, caller.id, flowId)
      if (flow === null) throw refuse(404, 'Flow not found')
      const { id, name, data } = flow
      return data === null ? [] : checkEachNode({ id, name, data: JSON.parse(data) }, options)
    },
  }
}
