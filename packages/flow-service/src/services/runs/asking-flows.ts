import { FlowCompileError, type FlowError } from '@x/flow-engine'
import { invalidRequest } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import type { PinnableFlow } from '../flows/flow-versions.ts'
import type { PlanCache } from './plan-cache.ts'
import { planAsksPeople } from '@x/flow-engine/internal'

/**
 * Rejects a flow that asks questions if no one can answer them.
 * @throws FlowError `invalid_request`
 */
export function refuseAsking(plan: FlowPlan, flowId: string): void {
  if (planAsksPeople(plan)) throw asksPerson(flowId)
}

/**
 * The same for a stored flow; flows that do not compile are rejected elsewhere.
 * @throws FlowError `invalid_request`
 */
export function refuseAskingFlow(
  plans: PlanCache,
  { id, name, data, version }: Pick<PinnableFlow, 'id' | 'name' | 'data' | 'version'>,
): void {
  if (data === null) return
  try {
    refuseAsking(plans.getPartly(id, name, data, version), id)
  } catch (error) {
    if (!(error instanceof FlowCompileError)) throw error
  }
}

export function asksPerson(flowId: string): FlowError {
  return invalidRequest(
    `This flow asks a person. Start it with POST /api/v1/build/${flowId}/flow and answer with POST /api/v2/workflows/<job id>/resume.`,
  )
}
