import { setLru } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { FlowCompileError } from '@x/flow-engine'
import { compilePartly, unknownProblems } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import type { CodeAbility } from '@x/flow-engine/internal'
import type { RunLimits } from '@x/flow-engine'

/** Maximum number of cached plans, and maximum length of a flow retained for comparison. */
const MAX_CACHED = 256
const MAX_LENGTH = 2 * 1024 * 1024

/** A cache of compiled flows, so that an unchanged flow is parsed and compiled once. */
export interface PlanCache {
  /**
   * The plan of a stored graph.
   * @param version of the flow the graph belongs to; cached separately from the flow itself
   * @throws FlowCompileError with all problems
   */
  get(flowId: string, name: string, data: string, version?: number): FlowPlan
  /** The same, but unknown node types are not yet errors. */
  getPartly(flowId: string, name: string, data: string, version?: number): FlowPlan
}

/** A plan and its source. */
interface KeptPlan {
  readonly name: string
  readonly data: string
  readonly plan: FlowPlan
}

export function createPlanCache(
  components: ComponentRegistry,
  limits: Partial<RunLimits> | undefined,
  customCode?: CodeAbility,
): PlanCache {
  const plans = new Map<string, KeptPlan>()
  const getPartly: PlanCache['getPartly'] = (flowId, name, data, version) => {
    const key = version === undefined ? flowId : `${flowId}/v${version}`
    const kept = plans.get(key)
    plans.delete(key)
    if (kept?.data === data && kept.name === name) {
      plans.set(key, kept)
      return kept.plan
    }
    const flow = { id: flowId, name, data: JSON.parse(data) as unknown }
    const plan = compilePartly(flow, { components, limits, customCode })
    if (data.length <= MAX_LENGTH) setLru(plans, key, { name, data, plan }, MAX_CACHED)
    return plan
  }
  return {
    getPartly,
    get(flowId, name, data, version) {
      const plan = getPartly(flowId, name, data, version)
      const problems = unknownProblems(plan)
      if (problems.length > 0) throw new FlowCompileError(problems)
      return plan
    },
  }
}
