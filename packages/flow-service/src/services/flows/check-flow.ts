import { checkEachNode, type KnownVariables } from '@x/flow-engine/internal'
import type { CompileOptions } from '@x/flow-engine'
import type { FlowProblem } from '@x/flow-engine'
import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { Caller } from '../base/caller.ts'
import { ownFlow } from '../base/own-flow.ts'

/** Finds the problems of a stored flow without running it. */
export interface FlowCheckService {
  /**
   * Errors, then warnings, each with its node or edge; empty for a flow without a graph.
   * @throws Refusal 404 for an unknown flow or another user's
   */
  check(caller: Caller, flowId: string): Promise<readonly FlowProblem[]>
}

interface Lookup {
  readonly variables: {
    namesOf(userId: string): Promise<{
      readonly names: ReadonlySet<string>
      readonly kept: ReadonlyMap<string, string>
    }>
  }
  /** Undefined if flows may not read it. */
  readonly environment: Readonly<Record<string, string>> | undefined
}

/** Checks with the same components, limits, code runner, variables and environment as a build. */
export function createFlowCheckService(
  store: Pick<FlowStore, 'flows'>,
  options: CompileOptions,
  { variables, environment = {} }: Lookup,
): FlowCheckService {
  const knownTo = async (userId: string): Promise<KnownVariables> => {
    const { names, kept } = await variables.namesOf(userId)
    return {
      has: (name) => names.has(name) || Object.hasOwn(environment, name),
      keptFor: (displayName) => kept.get(displayName),
    }
  }
  return {
    async check(caller, flowId) {
      const flow = await ownFlow(store, caller.id, flowId)
      if (flow === null) throw refuse(404, 'Flow not found')
      const { id, name, data } = flow
      if (data === null) return []
      const known = await knownTo(caller.id)
      return checkEachNode({ id, name, data: JSON.parse(data) }, options, known)
    },
  }
}
