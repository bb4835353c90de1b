import type { CollectedMetric } from './family.ts'
import type { Metrics } from './metrics.ts'

const TEXT = 'text/plain; version=0.0.4; charset=utf-8'
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/**
 * Responds with all metrics in the Prometheus text format 0.0.4, or in OpenMetrics if requested by
 * `Accept`. Requires no credentials: put it behind your own, or on an address only the scraper can reach.
 */
export function prometheusHandler(metrics: Metrics): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
    const isOpen = request.headers.get('accept')?.includes('application/openmetrics-text') === true
    const body = formatMetrics(await metrics.collect(), isOpen)
    const headers = { 'content-type': isOpen ? OPEN_METRICS : TEXT, 'cache-control': 'no-store' }
    return new Response(request.method === 'HEAD' ? null : body, { headers })
  }
}

/** Formats metrics as text. */
export function formatMetrics(all: readonly CollectedMetric[], isOpen = false): string {
  const parts = all.map((metric) => formatMetric(metric, isOpen))
  return parts.join('') + (isOpen ? '# EOF\n' : '')
}

/** In OpenMetrics the name of a counter excludes `_total`. */
function formatMetric({ name, help, type, samples }: CollectedMetric, isOpen: boolean): string {
  const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name
  const lines = samples.map(({ suffix, labels, value }) => {
    const text = labels.map(([label, of]) => `${label}="${escapeLabel(of)}"`).join(',')
    return `${name}${suffix}${text === '' ? '' : `{${text}}`} ${formatNumber(value)}\n`
  })
  return [
    `# HELP ${family} ${escapeHelp(help, isOpen)}\n`,
    `# TYPE ${family} ${type}\n`,
    ...lines,
  ].join('')
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const escapeHelp = (text: string, isOpen: boolean): string => {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return isOpen ? escaped.replaceAll('"', '\\"') : escaped
}

const formatNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
