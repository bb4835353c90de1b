import { SpanStatusCode, type Span } from '@opentelemetry/api'
import type { FlowError } from '../errors.ts'

/** Ends a span, as failed if there is an error; the error text is masked already. */
export function endSpan(span: Span, error: FlowError | undefined): void {
  if (error !== undefined) {
    span.setAttribute('error.type', error.code)
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.detail })
    span.recordException({ name: error.code, message: error.detail })
  }
  span.end()
}
