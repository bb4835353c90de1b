import { readUuid } from '@x/wire'
import type { FlowService } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import type { FlowStore } from '../../store/flow-store.ts'
import { ownFlow } from '../base/own-flow.ts'

/** Maximum number of flows the editor offers to run. */
const MAX_NAMES = 1000

/** The flows of one user, for components that run flows; flows of other users are not found. */
export function createOwnedFlows(store: Pick<FlowStore, 'flows'>, ownerId: string): FlowService {
  const idOf = async (name: string): Promise<string | undefined> => {
    const query = { userId: ownerId, search: name, order: 'created', data: 'none' } as const
    const { items } = await store.flows.list(query)
    return items.find((flow) => flow.name === name)?.id
  }
  return {
    async get(idOrName) {
      const id = readUuid(idOrName) ?? (await idOf(idOrName))
      const flow = id === undefined ? null : await ownFlow(store, ownerId, id)
      if (flow === null || flow.data === null) return null
      const data = JSON.parse(flow.data) as NonNullable<FlowJson['data']>
      return { id: flow.id, name: flow.name, description: flow.description, data }
    },
    async names() {
      const { items } = await store.flows.list({
        userId: ownerId,
        isComponent: false,
        order: 'created',
        data: 'none',
        offset: 0,
        limit: MAX_NAMES,
      })
      return items.map(({ name }) => name)
    },
  }
}
