import type { FlowStore } from '../store/flow-store.ts'
import { flow, idOf, user } from './records.ts'

/** Inserts users 1 and 2, each with the flow of the same number. */
export async function insertTwoFlows(store: FlowStore): Promise<FlowStore> {
  for (const n of [1, 2]) {
    await store.users.insert(user(n))
    await store.flows.insert([flow(n, { userId: idOf(1, n) })])
  }
  return store
}
