import type { FlowEngineOptions, RequestHooks } from '@x/flow-engine'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from './log.ts'

type Hooks = Required<Pick<FlowEngineOptions, 'hooks' | 'requestHooks'>>

/**
 * Spans with `SERVICE_OTEL` (OP-2), made by the OpenTelemetry SDK that was registered before the start, for
 * example by `node --import`. The server brings the API alone.
 */
export async function openTracing(
  { SERVICE_OTEL: isOn, SERVICE_OTEL_CONTENT: content }: Settings,
  { version, log }: { readonly version: string; readonly log: Log },
): Promise<Hooks | undefined> {
  if (isOn !== true) return undefined
  const [{ isSpanContextValid, trace }, { openTelemetryHooks }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@x/flow-engine/otel'),
  ])
  const tracer = trace.getTracer('@x/reference-server', version)
  if (!isSpanContextValid(tracer.startSpan('probe').spanContext()))
    log('warning', 'SERVICE_OTEL is on, but no OpenTelemetry SDK is registered: no spans are made')
  return openTelemetryHooks(tracer, { content: content as 'none' | 'truncated' | 'full' })
}

/** Hooks that look at the end of requests, and those that make spans around them. */
export function withSpans(watching: RequestHooks, spans: RequestHooks | undefined): RequestHooks {
  if (spans === undefined) return watching
  return {
    onRequestStart: (request) => spans.onRequestStart?.(request),
    onRequestEnd(request, end) {
      watching.onRequestEnd?.(request, end)
      spans.onRequestEnd?.(request, end)
    },
  }
}
