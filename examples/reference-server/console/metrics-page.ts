import { attempt, field, form, labelled, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { parseMetrics, type MetricSample } from './prometheus-text.ts'
import { tableOf } from './table.ts'

/** Maximum rows of the table of requests. */
const MOST_ROUTES = 40

/** Kept until the page is reloaded. */
let token = ''

/** The state of this process: requests, runs, model calls and resources since its start. */
export const metricsPage: ConsolePage = {
  name: 'metrics',
  title: 'Metrics',
  forSuperusers: true,
  open: show,
}

async function show(section: HTMLElement): Promise<void> {
  const samples = await readMetrics()
  if (samples === undefined) return replaceBelowTitle(section, howToEnable(section))
  const refresh = make('button', 'Refresh', { type: 'button', class: 'quiet' })
  refresh.addEventListener('click', () => attempt(() => show(section)))
  replaceBelowTitle(section, [
    make(
      'p',
      'Requests, runs and resources of this process since its start. Prometheus reads the same from /metrics.',
      {
        class: 'lead',
      },
    ),
    refresh,
    ...tablesOf(createReader(samples)),
  ])
}

/** Undefined if the server offers no metrics here. */
async function readMetrics(): Promise<MetricSample[] | undefined> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch('/metrics', { headers })
  const isText = response.headers.get('content-type')?.startsWith('text/plain') === true
  return response.ok && isText ? parseMetrics(await response.text()) : undefined
}

function howToEnable(section: HTMLElement): HTMLElement[] {
  const access = form(
    'Token of the metrics',
    [labelled('Token', { name: 'token', type: 'password', required: '' })],
    'Show the metrics',
  )
  access.onsend(async (fields) => {
    token = field(fields, 'token')
    await show(section)
    if (section.contains(access.element))
      throw new Error('The server shows no metrics for this token.')
  })
  return [
    make(
      'p',
      'Metrics are off, or not readable from here. SERVICE_METRICS=true npm start collects them. Clients on ' +
        'the machine of the server read them without a token, others with that of SERVICE_METRICS_TOKEN; ' +
        'with SERVICE_METRICS_PORT they are on that port only.',
      { class: 'lead' },
    ),
    access.element,
  ]
}

type Labels = Readonly<Record<string, string>>

interface Reader {
  /** Samples of a name. */
  all(name: string): MetricSample[]
  /** Sum of the samples with these labels; 0 if there are none. */
  sum(name: string, labels?: Labels): number
}

function createReader(samples: readonly MetricSample[]): Reader {
  const all = (wanted: string): MetricSample[] => samples.filter(({ name }) => name === wanted)
  return {
    all,
    sum: (name, labels = {}) =>
      all(name)
        .filter((sample) =>
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  }
}

function tablesOf(metrics: Reader): HTMLElement[] {
  return [
    make('h3', 'Process'),
    tableOf('Process', ['Measure', 'Value'], processRows(metrics), ''),
    make('h3', 'Runs'),
    tableOf('Runs', ['Outcome', 'Runs', 'Mean time'], runRows(metrics), 'No run has ended yet.'),
    make('h3', 'Model calls'),
    tableOf(
      'Model calls',
      ['Provider', 'Model', 'Outcome', 'Calls'],
      metrics
        .all('flow_model_calls_total')
        .map(({ labels, value }) => [
          labels['provider'] ?? '',
          labels['model'] ?? '',
          labels['outcome'] ?? '',
          `${value}`,
        ]),
      'No model has been called yet.',
    ),
    make('h3', 'Requests'),
    tableOf(
      'Requests',
      ['Operation', 'Requests', 'Failed (5xx)', 'Mean time'],
      requestRows(metrics),
      'No request has been answered yet.',
    ),
  ]
}

function processRows(metrics: Reader): string[][] {
  const delay = { quantile: '0.99' }
  const tokens = (direction: string): string =>
    `${metrics.sum('flow_model_tokens_total', { direction })}`
  return [
    ['Uptime', longTime(metrics.sum('process_uptime_seconds'))],
    ['CPU time', longTime(metrics.sum('process_cpu_seconds'))],
    [
      'Resident memory',
      `${Math.round(metrics.sum('process_resident_memory_bytes') / 2 ** 20)} MiB`,
    ],
    [
      'Event loop delay, 99th percentile',
      `${(metrics.sum('process_event_loop_delay_seconds', delay) * 1000).toFixed(0)} ms`,
    ],
    ['Runs under way', `${metrics.sum('flow_runs_active')}`],
    ['Jobs waiting', `${metrics.sum('flow_jobs_open', { state: 'queued' })}`],
    ['Jobs waiting for a person', `${metrics.sum('flow_jobs_open', { state: 'suspended' })}`],
    ['Streams open', `${metrics.sum('http_streams_open')}`],
    ['Model tokens in and out', `${tokens('in')}, ${tokens('out')}`],
  ]
}

function runRows(metrics: Reader): string[][] {
  return metrics.all('flow_runs_total').map(({ labels, value }) => {
    const outcome = labels['outcome'] ?? ''
    return [outcome, `${value}`, meanOf(metrics, 'flow_run_duration_seconds', { outcome })]
  })
}

function requestRows(metrics: Reader): string[][] {
  return metrics
    .all('http_request_duration_seconds_count')
    .toSorted((a, b) => b.value - a.value)
    .slice(0, MOST_ROUTES)
    .map(({ labels, value }) => [
      `${labels['method']} ${labels['route']}`,
      `${value}`,
      `${metrics.sum('http_requests_total', { ...labels, status: '5xx' })}`,
      meanOf(metrics, 'http_request_duration_seconds', labels),
    ])
}

function meanOf(metrics: Reader, name: string, labels: Labels): string {
  const mean = metrics.sum(`${name}_sum`, labels) / metrics.sum(`${name}_count`, labels)
  return Number.isFinite(mean) ? `${(mean * 1000).toFixed(1)} ms` : ''
}

/** Seconds, minutes or hours. */
function longTime(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  return seconds < 7200 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3600).toFixed(1)} h`
}
