import { respond } from '@x/wire'
import { JsonText } from '../route/route.ts'
import { flowToText } from '../../services/flows/flow-text.ts'
import type { FlowRecord } from '../../store/flows.ts'

/** Stores do not share longer graphs between callers. In characters. */
const LONG = 1024 * 1024

const utf8 = new TextEncoder()

/** Encoded flows that a store shares between callers; cached until the store drops the record. */
const encodedFlows = new WeakMap<FlowRecord, Uint8Array>()

/** The response with a flow. Its encoding is cached, because it costs more than reading the flow. */
export function flowAnswer(request: Request, flow: FlowRecord): Response | JsonText {
  // Long responses are counted until they are read.
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
