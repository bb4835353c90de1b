import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowRecord } from '../../store/flows.ts'

/**
 * The only ownership check of flows: returns the user's flow; null if it belongs to another user or does not
 * exist.
 */
export async function ownFlow(
  { flows }: Pick<FlowStore, 'flows'>,
  userId: string,
  flowId: string,
): Promise<FlowRecord | null> {
  const flow = await flows.get(flowId)
  return flow?.userId === userId ? flow : null
}
