import type { FlowTable, FlowQuery, FlowRecord } from '../../store/flows.ts'

/** Flows in parts, which are read one after another. */
export type FlowParts = AsyncIterable<readonly FlowRecord[]>

/** A page of a list whose items are read in parts. */
export interface FlowPage {
  readonly items: FlowParts
  readonly total: number
}

/** The flows of a query in parts; all at once where the store has no parts. */
export async function* flowParts(flows: FlowTable, query: FlowQuery) {
  if (flows.parts === undefined) yield (await flows.list(query)).items
  else yield* flows.parts(query)
}

/** A page of flows whose items are read in parts. */
export async function flowPage(flows: FlowTable, query: FlowQuery): Promise<FlowPage> {
  const { total } = await flows.list({ ...query, data: 'none', limit: 0 })
  return { items: flowParts(flows, query), total }
}
