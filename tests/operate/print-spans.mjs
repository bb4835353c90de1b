// Registers the OpenTelemetry SDK, as an operator does with `node --import`; each span is a line of stdout.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, parentSpanContext } = span
      const { traceId, spanId } = span.spanContext()
      const parentId = parentSpanContext?.spanId
      console.log(`span ${JSON.stringify({ name, traceId, spanId, parentId, attributes })}`)
    }
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)
