import { respond } from '@x/wire'
import { flowToText } from '../../services/flows/flow-text.ts'
import type { FlowRecord } from '../../store/flows.ts'

const utf8 = new TextEncoder()

/** Bytes of flows that a store shares between callers, kept as long as the store keeps the record. */
const kept = new WeakMap<FlowRecord, Uint8Array>()

/** A flow as the answer to a request; encoding it would cost more than the rest of reading it. */
export function flowAnswer(request: Request, flow: FlowRecord): Response {
  return respond(request, kept.get(flow) ?? encoded(flow), {
    headers: { 'content-type': 'application/json' },
  })
}

/** Stores freeze the records that they share. */
function encoded(flow: FlowRecord): Uint8Array {
  const bytes = utf8.encode(flowToText(flow))
  if (Object.isFrozen(flow)) kept.set(flow, bytes)
  return bytes
}
