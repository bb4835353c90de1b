import { call } from './api.ts'
import { attempt, make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { durationOf, openReplay, readTrace, type Trace } from './replay-run.ts'
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
      trace.endTime === null ? '' : durationOf(trace.totalLatencyMs),
      `${trace.totalTokens}`,
      showButton(trace, one),
      replayButton(trace),
    ])
    const head = ['Flow', 'State', 'Started', 'Took', 'Tokens', 'Nodes', 'Replay']
    replaceBelowTitle(section, [
      make('p', 'Your latest builds and runs.', { class: 'lead' }),
      tableOf('Your builds and runs', head, rows, 'You have not run a flow yet.'),
      one,
    ])
  },
  leave: (section) => replaceBelowTitle(section, []),
}

function showButton({ id, name, startTime }: Summary, place: HTMLElement): HTMLElement {
  const button = quietButton('Show', `Show the nodes of ${name}, ${moment(startTime)}`)
  button.addEventListener('click', () =>
    attempt(async () => {
      place.replaceChildren(...partsOf(await readTrace(id)))
      place.scrollIntoView({ block: 'nearest' })
    }),
  )
  return button
}

function replayButton({ id, name, startTime }: Summary): HTMLElement {
  const button = quietButton('Replay', `Replay ${name}, ${moment(startTime)}`)
  button.addEventListener('click', () => openReplay(id))
  return button
}

function quietButton(text: string, label: string): HTMLButtonElement {
  return make('button', text, { type: 'button', class: 'quiet', 'aria-label': label })
}

function partsOf({ name, startTime, error, warnings = [], spans }: Trace): HTMLElement[] {
  const rows = spans.map((span) => [
    span.name,
    span.status,
    durationOf(span.latencyMs),
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

function listOf(warnings: NonNullable<Trace['warnings']>): HTMLUListElement {
  const list = make('ul', '', { 'aria-label': 'Warnings of the run', class: 'warnings' })
  list.append(...warnings.map(({ message }) => make('li', message)))
  return list
}
