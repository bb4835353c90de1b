import type { Entry } from '../api.ts'
import { foreign, h } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'
import { searchedTable } from './searched-table.ts'

/** What arrived, newest first. */
export function logView(page: ConnectionPage): HTMLElement {
  const { ask, say, words, connection, signal } = page
  return searchedTable<Entry>(page, {
    part: 'log',
    title: say('log'),
    columns: [say('time'), say('request'), say('outcome'), say('detail')],
    filter: {
      part: 'log-outcome',
      name: 'outcome',
      label: say('outcome'),
      options: [['', say('all')], ...Object.entries(words.outcomes)],
    },
    async load(query) {
      const path = `/connections/${connection.id}/log?${query.toString()}`
      const { entries: rows, next } = await ask<{ entries: Entry[]; next: string | null }>(
        'GET',
        path,
        { signal },
      )
      return { rows, next }
    },
    row: (entry) => logRow(page, entry),
  })
}

function logRow({ when, words }: ConnectionPage, entry: Entry): HTMLElement {
  const outcomes: Readonly<Record<string, string>> = words.outcomes
  const { requestId, outcome, at, op, resourceType, name, status, detail, count } = entry
  return h(
    'tr',
    { 'data-part': 'log-row', 'data-request': requestId, 'data-outcome': outcome },
    h('td', {}, when(at)),
    h('td', {}, [op, resourceType].join(' '), h('div', {}, foreign(name ?? ''))),
    h('td', {}, `${outcomes[outcome] ?? outcome}${count > 1 ? ` × ${count}` : ''} (${status})`),
    h('td', {}, foreign(detail ?? '')),
  )
}
