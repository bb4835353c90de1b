import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { ObservedRequest, RequestHooks } from '@x/wire'
import { readCarrier, writeCarrier } from './trace-carrier.ts'

/** Creates a span for each request, the parent of its runs and jobs. */
export function requestSpans(tracer: Tracer): RequestHooks {
  const spans = new WeakMap<ObservedRequest, Span>()
  return {
    onRequestStart(request) {
      const { method, route, requestId, headers } = request
      const active = context.active()
      // The host's own instrumentation has already read the headers.
      const isWithin = trace.getSpan(active) !== undefined
      const carried = isWithin ? undefined : readCarrier({ ...headers })
      const parent = carried === undefined ? active : trace.setSpanContext(ROOT_CONTEXT, carried)
      const span = tracer.startSpan(
        route === null ? method : `${method} ${route}`,
        {
          kind: isWithin ? SpanKind.INTERNAL : SpanKind.SERVER,
          attributes: {
            'http.request.method': method,
            ...(route !== null && { 'http.route': route }),
            'flow.request.id': requestId,
          },
        },
        parent,
      )
      spans.set(request, span)
      request.carrier = writeCarrier(span.spanContext())
      const within = trace.setSpan(parent, span)
      return (work) => context.with(within, work)
    },
    onRequestEnd(request, { status }) {
      const span = spans.get(request)
      if (span === undefined) return
      const { userId, tenant } = request
      span.setAttributes({
        'http.response.status_code': status,
        ...(userId !== undefined && { 'user.id': userId }),
        ...(tenant !== undefined && { 'tenant.id': tenant }),
      })
      if (status >= 500) {
        span.setAttribute('error.type', String(status))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}
