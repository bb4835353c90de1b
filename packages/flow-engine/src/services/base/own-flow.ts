import type { FlowStore } from '../../store/flow-store.ts'
import type { FlowRecord } from '../../store/flows.ts'

/**
 * The one check of who owns a flow: the flow of this user; null for a flow of another user as for one
 * that does not exist.
 */
export async function ownFlow(
  { flows }: Pick<FlowStore, 'flows'>,
  userId: string,
  flowId: string,
): Promise<FlowRecord | null> {
  const flow = await flows.get(flowId)
  return flow?.userId === userId ? flow : null
}
