import { once } from 'node:events'
import { createServer } from 'node:http'
import { constantTimeEqual } from './constant-time-equal.ts'
import { createMetrics, prometheusHandler, type Metrics } from '@x/flow-engine/metrics'
import { toNodeListener } from '@x/http-adapters/node'
import { isLoopback } from '../settings/flow-settings.ts'
import type { Settings } from '../settings/read-settings.ts'
import { observeProcess } from './process-metrics.ts'

/** The metrics of the server and their endpoint. */
export interface MetricsEndpoint {
  readonly metrics: Metrics
  /** `GET /metrics` on the server's own port; undefined for callers who may not read it. */
  answer(request: Request, clientAddress: string | undefined): Promise<Response> | undefined
  close(): Promise<void>
}

/** Headers added by proxies: the caller is not the connected peer. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const

/**
 * Enabled by `SERVICE_METRICS` (OP-7). With `SERVICE_METRICS_PORT` a separate port serves them; otherwise
 * the server's port does, for clients with `SERVICE_METRICS_TOKEN` or, if no token is set, for this machine
 * only.
 */
export async function openMetrics(
  settings: Settings,
  version: string,
): Promise<MetricsEndpoint | undefined> {
  if (settings.SERVICE_METRICS !== true) return undefined
  const metrics = createMetrics()
  const scrape = prometheusHandler(metrics)
  const { SERVICE_METRICS_PORT: port, SERVICE_METRICS_TOKEN: token } = settings
  const mayRead = (request: Request, clientAddress: string | undefined): boolean => {
    if (token !== undefined) return hasToken(request, token)
    return isLocal(request, clientAddress)
  }
  const server = port === undefined ? undefined : createServer()
  if (server !== undefined) {
    const isOpen = (request: Request): boolean => token === undefined || hasToken(request, token)
    server.on(
      'request',
      toNodeListener((request) =>
        pathOf(request) === '/metrics' && isOpen(request)
          ? scrape(request)
          : Response.json({ detail: 'Not Found' }, { status: 404 }),
      ),
    )
    server.listen(port, settings.SERVICE_METRICS_HOST ?? '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = observeProcess(metrics, version)
  return {
    metrics,
    answer: (request, clientAddress) =>
      server === undefined && mayRead(request, clientAddress) ? scrape(request) : undefined,
    async close() {
      stop()
      if (server === undefined) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const pathOf = ({ url }: Request): string => new URL(url).pathname

function hasToken({ headers }: Request, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return constantTimeEqual(given, token)
}

/** True for a caller on this machine, without a proxy. */
function isLocal({ url, headers }: Request, clientAddress = ''): boolean {
  const { hostname } = new URL(url)
  return (
    isLoopback(clientAddress) &&
    isLoopback(hostname) &&
    FORWARDED.every((name) => !headers.has(name))
  )
}
