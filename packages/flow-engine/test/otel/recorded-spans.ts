import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { openTelemetryHooks, type OpenTelemetryOptions } from '@x/flow-engine/otel'

/** Hooks on the real SDK, and the spans that have ended. */
export function recordedSpans(options?: OpenTelemetryOptions) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('test')
  const spans = (): ReadableSpan[] => exporter.getFinishedSpans()
  const named = (name: string): ReadableSpan => {
    const found = spans().find((span) => span.name === name)
    if (found === undefined)
      throw new Error(
        `No span ${name} in ${spans()
          .map((one) => one.name)
          .join(', ')}`,
      )
    return found
  }
  return { ...openTelemetryHooks(tracer, options), tracer, spans, named }
}

/** Names from a span up to that whose parent is not among these. */
export function pathOf(span: ReadableSpan, all: readonly ReadableSpan[]): string[] {
  const parent = all.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)
  return [span.name, ...(parent === undefined ? [] : pathOf(parent, all))]
}
