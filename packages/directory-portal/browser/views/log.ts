import type { Entry } from '../api.ts'
import { button, choice, foreign, h, labelled } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

/** What arrived, newest first. */
export function logView(page: ConnectionPage): HTMLElement {
  const { ask, say, words, connection, tell, signal } = page
  const rows = h('tbody')
  const more = h('p')
  let [search, outcome] = ['', '']
  const load = async (after: string | null): Promise<void> => {
    const query = new URLSearchParams()
    if (search.trim() !== '') query.set('search', search.trim())
    if (outcome !== '') query.set('outcome', outcome)
    if (after !== null) query.set('after', after)
    try {
      const path = `/connections/${connection.id}/log?${query.toString()}`
      const found = await ask<{ entries: readonly Entry[]; next: string | null }>('GET', path, {
        signal,
      })
      if (after === null) rows.replaceChildren()
      for (const entry of found.entries) rows.append(logRow(page, entry))
      const { next } = found
      more.replaceChildren(
        ...(rows.childElementCount === 0 ? [say('nothing')] : []),
        ...(next === null ? [] : [button('more', say('more'), () => load(next))]),
      )
    } catch (error) {
      if (!signal.aborted) tell(error)
    }
  }
  const field = h('input', { type: 'search', 'data-part': 'log-search' })
  field.addEventListener('change', () => {
    search = field.value
    void load(null)
  })
  void load(null)
  const outcomes = Object.entries(words.outcomes)
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, say('log')),
    h(
      'div',
      { class: 'filters' },
      labelled(say('search'), field),
      labelled(
        say('outcome'),
        choice('log-outcome', [['', say('all')], ...outcomes], {
          value: outcome,
          change(value) {
            outcome = value
            void load(null)
          },
        }),
      ),
    ),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('log') },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...[say('time'), say('request'), say('outcome'), say('detail')].map((label) =>
              h('th', { scope: 'col' }, label),
            ),
          ),
        ),
        rows,
      ),
    ),
    more,
  )
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
