import type { FlowServiceObservers, RequestHooks } from '@x/flow-service'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from './log.ts'

type Hooks = Required<Pick<FlowServiceObservers, 'hooks' | 'requestHooks'>>

/**
 * Creates spans if `SERVICE_OTEL` is set (OP-2), with the OpenTelemetry SDK registered before the start,
 * for example by `node --import`. The server itself only depends on the API.
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

/** Combines hooks that observe the end of requests with those that create spans around them. */
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
