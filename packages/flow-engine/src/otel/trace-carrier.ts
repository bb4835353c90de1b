import {
  createTraceState,
  isSpanContextValid,
  TraceFlags,
  type SpanContext,
} from '@opentelemetry/api'

type Carrier = Readonly<Record<string, string | undefined>>

/** Version, trace, parent and flags (W3C Trace Context 3.2). */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Reads the span context of a carrier; undefined if there is none. */
export function readCarrier(carrier: Carrier = {}): SpanContext | undefined {
  const { traceparent = '', tracestate } = carrier
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(traceparent.trim()) ?? []
  if (version === undefined || version === 'ff') return undefined
  if (version === '00' && more !== undefined) return undefined
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
  return isSpanContextValid(found) ? found : undefined
}

/** Creates the carrier of a span. */
export function writeCarrier(span: SpanContext): Readonly<Record<string, string>> {
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const tracestate = span.traceState?.serialize() ?? ''
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate !== '' && { tracestate }),
  }
}
