import type { StreamCount } from '../event-stream.ts'
import type { RequestHooks } from '../request-hooks.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts requests and measures their time until the response head.
 * @param count number of open streaming responses
 */
export function requestMetrics(
  metrics: Metrics,
  service: 'flow' | 'scim' | 'surface',
  count?: Readonly<StreamCount>,
): RequestHooks {
  if (count !== undefined) {
    const streams = metrics.gauge({
      name: 'http_streams_open',
      help: 'Streaming responses in progress.',
      labels: ['service'],
    })
    metrics.onCollect(() => streams.set({ service }, count.open))
  }
  const requests = metrics.counter({
    name: 'http_requests_total',
    help: 'Requests answered, by pattern of the path and class of the status.',
    labels: ['service', 'route', 'method', 'status'],
  })
  const durations = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Time until the head of the answer.',
    labels: ['service', 'route', 'method'],
  })
  return {
    onRequestEnd({ route: pattern, method: sent }, { status, durationMs }) {
      const route = pattern ?? 'other'
      const method = METHODS.has(sent) ? sent : 'other'
      requests.add({ service, route, method, status: CLASSES[Math.floor(status / 100)] ?? 'other' })
      durations.observe({ service, route, method }, durationMs / 1000)
    },
  }
}

const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])
