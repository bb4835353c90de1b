import { setLru } from '@x/wire'
import type { FlowStore } from '../../store/flow-store.ts'

/** Storage for the visitors of one flow: characters of JSON, and number of messages. */
const MAX_PER_FLOW = { size: 64 * 1024 * 1024, messages: 10_000 }
/** Maximum number of flows whose messages are counted; for others only the age limit applies. */
const COUNTED = 1000

/**
 * Limits the messages stored by visitors of each public flow by removing the oldest. Only messages stored by
 * this process are counted; for all others the age limit applies.
 */
export interface VisitorMessages {
  /** Call when a message is stored or changed. */
  stored(flowId: string, message: { readonly id: string }): Promise<void>
}

interface Counted {
  /** Sizes by message id, oldest first. */
  readonly sizes: Map<string, number>
  total: number
}

export function createVisitorMessages({
  store,
}: {
  readonly store: Pick<FlowStore, 'messages'>
}): VisitorMessages {
  const flows = new Map<string, Counted>()
  const countedOf = (flowId: string): Counted => {
    const counted = flows.get(flowId) ?? { sizes: new Map<string, number>(), total: 0 }
    return setLru(flows, flowId, counted, COUNTED)
  }

  return {
    async stored(flowId, message) {
      const counted = countedOf(flowId)
      const size = JSON.stringify(message).length
      counted.total += size - (counted.sizes.get(message.id) ?? 0)
      counted.sizes.set(message.id, size)
      const gone = takeOldest(counted)
      if (gone.length > 0) await store.messages.remove(gone, null)
    },
  }
}

/** Removes and returns the messages over the limit; the newest message is kept. */
function takeOldest(counted: Counted): string[] {
  const gone: string[] = []
  for (const [id, size] of counted.sizes) {
    const { sizes, total } = counted
    const fits = total <= MAX_PER_FLOW.size && sizes.size <= MAX_PER_FLOW.messages
    if (fits || sizes.size === 1) break
    sizes.delete(id)
    counted.total -= size
    gone.push(id)
  }
  return gone
}
