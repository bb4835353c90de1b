import { respond } from '@x/wire'
import { JsonText } from '../route/route.ts'
import { flowToText } from '../../services/flows/flow-text.ts'
import type { FlowRecord } from '../../store/flows.ts'

/** Characters from which a store does not share a graph between callers. */
const LONG = 1024 * 1024

const utf8 = new TextEncoder()

/** Bytes of flows that a store shares between callers, kept as long as the store keeps the record. */
const encodedFlows = new WeakMap<FlowRecord, Uint8Array>()

/** A flow as the answer to a request; encoding it would cost more than the rest of reading it. */
export function flowAnswer(request: Request, flow: FlowRecord): Response | JsonText {
  // Long ones are counted until they are read.
  if ((flow.data?.length ?? 0) > LONG) return new JsonText(flowToText(flow))
  return respond(request, encodedFlows.get(flow) ?? encoded(flow), {
    headers: { 'content-type': 'application/json' },
  })
}

/** Stores freeze the records that they share. */
function encoded(flow: FlowRecord): Uint8Array {
  const bytes = utf8.encode(flowToText(flow))
  if (Object.isFrozen(flow)) encodedFlows.set(flow, bytes)
  return bytes
}
