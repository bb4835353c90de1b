import { call } from './api.ts'
import { attempt, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { moment, tableOf } from './table.ts'

interface Summary {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly startTime: string
  readonly endTime: string | null
  readonly totalLatencyMs: number
  readonly totalTokens: number
}

interface Trace extends Summary {
  readonly error: string | null
  readonly warnings?: readonly { readonly message: string }[]
  readonly spans: readonly {
    readonly name: string
    readonly status: string
    readonly latencyMs: number
    readonly error: string | null
    readonly tokenUsage: { readonly totalTokens: number } | null
  }[]
}

/** The latest builds and runs of this user, and the trace of the selected one. */
export const tracesPage: ConsolePage = {
  name: 'traces',
  title: 'Traces',
  async open(section) {
    const { traces } = (await (await call('/monitor/traces')).json()) as { traces: Summary[] }
    const one = make('div', '', { role: 'status' })
    const rows = traces.map((trace) => [
      trace.name,
      trace.state,
      moment(trace.startTime),
      trace.endTime === null ? '' : timeOf(trace.totalLatencyMs),
      `${trace.totalTokens}`,
      showButton(trace, one),
    ])
    const head = ['Flow', 'State', 'Started', 'Took', 'Tokens', 'Nodes']
    replaceBelowTitle(section, [
      make('p', 'Your latest builds and runs.', { class: 'lead' }),
      tableOf('Your builds and runs', head, rows, 'You have not run a flow yet.'),
      one,
    ])
  },
  leave: (section) => replaceBelowTitle(section, []),
}

function showButton({ id, name, startTime }: Summary, place: HTMLElement): HTMLElement {
  const button = make('button', 'Show', {
    type: 'button',
    class: 'quiet',
    'aria-label': `Show the nodes of ${name}, ${moment(startTime)}`,
  })
  button.addEventListener('click', () =>
    attempt(async () => {
      const trace = (await (await call(`/monitor/traces/${id}`)).json()) as Trace
      place.replaceChildren(...partsOf(trace))
      place.scrollIntoView({ block: 'nearest' })
    }),
  )
  return button
}

function partsOf({ name, startTime, error, warnings = [], spans }: Trace): HTMLElement[] {
  const rows = spans.map((span) => [
    span.name,
    span.status,
    timeOf(span.latencyMs),
    `${span.tokenUsage?.totalTokens ?? ''}`,
    span.error ?? '',
  ])
  const head = ['Node', 'Status', 'Took', 'Tokens', 'Error']
  return [
    make('h3', `${name}, ${moment(startTime)}`),
    ...(error === null ? [] : [make('p', error)]),
    ...(warnings.length === 0 ? [] : [listOf(warnings)]),
    tableOf('Nodes of the run', head, rows, 'No node was built.'),
  ]
}

function listOf(warnings: Required<Trace>['warnings']): HTMLUListElement {
  const list = make('ul', '', { 'aria-label': 'Warnings of the run', class: 'warnings' })
  list.append(...warnings.map(({ message }) => make('li', message)))
  return list
}

const timeOf = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
